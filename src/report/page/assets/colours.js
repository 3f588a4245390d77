// Colours of lines, light and dark: Okabe and Ito, "Color universal design", 2008, the darker ones darkened until they stand out 3:1 from a white page. A line is told by its
// dash as well, for print in grey and for eyes that tell no colours. On paper it is light whatever the screen is.
const PALETTES = {
  light: { text: "#1a1a1a", line: "#d0d0d0", read: "#0072b2", write: "#d55e00", trim: "#007a5a" },
  dark: { text: "#e8e8e8", line: "#444444", read: "#56b4e9", write: "#e69f00", trim: "#2fc79a" },
};
const DASHES = { read: [], write: [8, 4], trim: [2, 3] };
const darkMode = matchMedia("(prefers-color-scheme: dark)");
let printing = false;
const palette = () => (darkMode.matches && !printing ? PALETTES.dark : PALETTES.light);
