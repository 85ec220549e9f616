/**
 * Plots the simulated days of the scaling of workers, after a build: `node scripts/plot-scaling.mjs docs/run/scaling.svg`.
 * A test compares the file with what this would write.
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const SIMULATION = new URL('../dist/test/support/models/simulated-day.js', import.meta.url);

const WIDTH = 900;
const LEFT = 46;
const HEIGHT = 150;
const TITLE = 26;
const DAY = 86_400;
/** A point of the plot is the highest value within so many seconds. */
const WINDOW = 600;
const HOURS = [0, 4, 8, 12, 16, 20, 24];

/**
 * @param days `{ name, moments }` of each scenario
 * @returns the text of an SVG
 */
export function plotDays(days) {
  const parts = days.map((day, nth) => plotDay(day, nth * (HEIGHT + TITLE + 24)));
  const height = days.length * (HEIGHT + TITLE + 24) + 40;
  const legend = [
    ['#bbbbbb', 'what the work alone would want'],
    ['#0060c0', 'wanted workers'],
  ]
    .map(
      ([color, text], nth) =>
        `<line x1="${LEFT + nth * 280}" x2="${LEFT + nth * 280 + 24}" y1="${height - 18}" y2="${height - 18}" stroke="${color}" stroke-width="2"/><text x="${LEFT + nth * 280 + 30}" y="${height - 14}">${text}</text>`,
    )
    .join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" role="img" aria-label="Wanted workers over simulated days">\n<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>\n${parts.join('\n')}\n${legend}\n</svg>\n`;
}

function plotDay({ name, moments }, top) {
  const base = top + TITLE + HEIGHT;
  const wanted = highest(moments, ({ wanted: value }) => value);
  const most = Math.max(...wanted) * 1.25;
  const unlimited = highest(moments, (moment) => Math.min(most, moment.unlimited));
  const x = (second) => LEFT + (second / DAY) * (WIDTH - LEFT - 10);
  const y = (value) => base - (value / most) * HEIGHT;
  const line = (values, color) =>
    `<polyline fill="none" stroke="${color}" stroke-width="1.5" points="${values.map((value, nth) => `${x(nth * WINDOW).toFixed(0)},${y(value).toFixed(0)}`).join(' ')}"/>`;
  const grid = HOURS.map(
    (hour) =>
      `<line x1="${x(hour * 3600)}" x2="${x(hour * 3600)}" y1="${base - HEIGHT}" y2="${base}" stroke="#eeeeee"/><text x="${x(hour * 3600)}" y="${base + 14}" text-anchor="middle">${hour} h</text>`,
  ).join('');
  const scale = [0, Math.max(...wanted)]
    .map((value) => `<text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${value}</text>`)
    .join('');
  return `<text x="${LEFT}" y="${top + 16}" font-weight="bold">${name}</text>\n${grid}${scale}\n${line(unlimited, '#bbbbbb')}\n${line(wanted, '#0060c0')}`;
}

function highest(moments, figureOf) {
  const points = [];
  for (const moment of moments) {
    const nth = Math.floor(moment.second / WINDOW);
    points[nth] = Math.max(points[nth] ?? 0, figureOf(moment));
  }
  return points;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { SCENARIOS, simulateDay } = await import(SIMULATION);
  const days = SCENARIOS.map((scenario) => ({ name: scenario.name, moments: simulateDay(scenario) }));
  writeFileSync(process.argv[2], plotDays(days));
}
