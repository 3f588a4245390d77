// Colors of lines, light and dark: Okabe and Ito, "Color universal design", 2008. Some are darkened to a contrast of
// 3:1 with a white page. A line also has its dash, and a bar its name, for gray print and color-blind readers. Printed
// pages always have the light colors.
const PALETTES = {
  light: { text: "#1a1a1a", line: "#d0d0d0", back: "#ffffff", tones: ["#0072b2", "#d55e00", "#007a5a", "#a8508a", "#946200", "#2b84b4", "#5a5a5a", "#7a6a00"] },
  dark: { text: "#e8e8e8", line: "#444444", back: "#161616", tones: ["#56b4e9", "#e69f00", "#2fc79a", "#cc79a7", "#f0e442", "#0a84d0", "#b0b0b0", "#d55e00"] },
};
const DASHES = [[], [8, 4], [2, 3], [12, 3, 2, 3], [5, 2], [1, 5], [14, 6], [4, 4]];
const NAMED_TONES = { read: 0, write: 1, trim: 2 };
const darkMode = matchMedia("(prefers-color-scheme: dark)");
let printing = false;
const palette = () => (darkMode.matches && !printing ? PALETTES.dark : PALETTES.light);

// `of` is a direction or a number.
const toneOf = (of) => (NAMED_TONES[of] === undefined ? of : NAMED_TONES[of]) % DASHES.length;
const colourOf = (of) => palette().tones[toneOf(of)];
