#!/usr/bin/env bash
# Packages: npm prom-client 15.1.3 with tdigest 0.1.3 (the newest of both).
#
# Valid input: 10,000 latencies in whole milliseconds, as a difference of two
# Date.now() gives them. 9,990 are 1 ms, 10 are 1,000 ms, evenly mixed.
#
# Expected: a Summary reports 1 for every quantile up to 0.99, because 99.9 %
# of the latencies are 1 ms.
#
# Seen: 0.5 is 1.999, 0.9 is 801.199, 0.95 is 901.099, 0.99 is 981.019. Equal
# values share one centroid of unlimited weight, and a quantile above the
# middle of that centroid is interpolated on a straight line to the next one.
# The same latencies with their fractions kept (1.0000 to 1.9999) give 0.99
# below 2.
#
# Why it matters: a dashboard shows a p90 of 0.8 s for a service that answers
# 999 of 1,000 requests in 1 ms. Rounding the input changes the quantiles by
# factors, not by the rounding error.
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
command -v node >/dev/null || lacks 'node is missing'
command -v npm >/dev/null || lacks 'npm is missing'

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export npm_config_cache=$dir/cache npm_config_update_notifier=false
echo '{ "private": true }' >package.json
npm install --silent --no-audit --no-fund --save-exact \
  prom-client@15.1.3 tdigest@0.1.3 >npm.log 2>&1 ||
  lacks 'npm cannot install prom-client 15.1.3 and tdigest 0.1.3'

cat >summary.js <<'JS'
const { Summary } = require('prom-client');

async function quantiles(latencies) {
  const summary = new Summary({
    name: 'latency_ms', help: 'latency', registers: [],
    percentiles: [0.5, 0.9, 0.95, 0.99],
  });
  for (const latency of latencies) summary.observe(latency);
  const { values } = await summary.get();
  return values.filter((v) => v.labels.quantile !== undefined)
    .map((v) => [v.labels.quantile, v.value]);
}

(async () => {
  const whole = [];
  const exact = [];
  for (let i = 0; i < 10000; i += 1) {
    const slow = i % 1000 === 500;
    whole.push(slow ? 1000 : 1);
    // 7919 is prime to 10000: every fraction once, in no order.
    exact.push(slow ? 1000 : 1 + ((i * 7919) % 10000) / 10000);
  }
  for (const [q, value] of await quantiles(whole)) console.log(`whole ${q} ${value.toFixed(3)}`);
  const p99 = (await quantiles(exact)).find(([q]) => q === 0.99)[1];
  console.log(`exact 0.99 ${p99 < 2 ? 'below 2' : p99.toFixed(3)}`);
})();
JS

recorded='whole 0.5 1.999
whole 0.9 801.199
whole 0.95 901.099
whole 0.99 981.019
exact 0.99 below 2'
actual=$(node summary.js)
printf '%s\n' "$actual"
if [[ $actual != "$recorded" ]]; then
  printf 'changed; recorded was:\n%s\n' "$recorded" >&2
  exit 1
fi
