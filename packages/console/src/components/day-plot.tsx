/** Sums by day as stacked bars, with the same numbers as a table for those who do not see them, or want them exactly. */

import { useFormat } from '../texts/format.js';
import { textsOf } from '../texts/texts.js';
import { type Column, DataTable } from './table.js';

const useText = textsOf('day-plot', {
  day: { en: 'Day', de: 'Tag' },
  numbers: { en: 'Show the numbers', de: 'Zahlen zeigen' },
  most: { en: 'Most on one day: {count}', de: 'Höchstens an einem Tag: {count}' },
});

/** The colours keep their order: neighbours differ in lightness, so that they can be told apart without seeing hues. */
type PlotColour = 'first' | 'second' | 'third' | 'bad';

export interface Series<D> {
  readonly id: string;
  readonly title: string;
  readonly colour: PlotColour;
  readonly countOf: (day: D) => number;
}

interface DayPlotProps<D extends { readonly day: string }> {
  readonly title: string;
  readonly days: readonly D[];
  /** The first is at the bottom. */
  readonly series: readonly Series<D>[];
}

const HEIGHT = 100;
const BAR = 0.72;

export function DayPlot<D extends { readonly day: string }>({ title, days, series }: DayPlotProps<D>) {
  const t = useText();
  const format = useFormat();
  const totals = days.map((day) => series.reduce((sum, { countOf }) => sum + countOf(day), 0));
  const most = Math.max(1, ...totals);
  const sums = series.map(({ countOf }) => days.reduce((sum, day) => sum + countOf(day), 0));
  const [first, last] = [days[0], days.at(-1)];
  return (
    <figure className="plot" aria-label={title}>
      <ul className="plot-legend">
        {series.map(({ id, title: name, colour }, nth) => (
          <li key={id}>
            <span className={`plot-key ${colour}`} aria-hidden="true" />
            {name} <strong>{format.number(sums[nth] ?? 0)}</strong>
          </li>
        ))}
      </ul>
      <p className="plot-most small">{t('most', { count: format.number(Math.max(0, ...totals)) })}</p>
      <svg
        className="plot-area"
        viewBox={`0 0 ${Math.max(days.length, 1)} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {days.map((day, nth) => (
          <g key={day.day}>
            <title>{spoken(day, series, format.day, format.number)}</title>
            <rect className="plot-ground" x={nth} width={1} height={HEIGHT} />
            {stacked(day, series, most).map(({ id, colour, from, height }) => (
              <rect
                key={id}
                className={`plot-bar ${colour}`}
                x={nth + (1 - BAR) / 2}
                width={BAR}
                y={HEIGHT - from - height}
                height={height}
              />
            ))}
          </g>
        ))}
      </svg>
      <p className="plot-days small" aria-hidden="true">
        <span>{first === undefined ? '' : format.day(first.day)}</span>
        <span>{last === undefined ? '' : format.day(last.day)}</span>
      </p>
      <details className="plot-numbers">
        <summary>{t('numbers')}</summary>
        <DataTable
          isDense
          caption={title}
          columns={useColumns(series)}
          rows={[...days].reverse()}
          keyOf={({ day }) => day}
        />
      </details>
    </figure>
  );
}

function useColumns<D extends { readonly day: string }>(series: readonly Series<D>[]): readonly Column<D>[] {
  const t = useText();
  const format = useFormat();
  return [
    { id: 'day', title: t('day'), isHeader: true, cell: ({ day }) => format.day(day) },
    ...series.map(({ id, title, countOf }) => ({
      id,
      title,
      isNumber: true,
      cell: (day: D) => format.number(countOf(day)),
    })),
  ];
}

interface Part {
  readonly id: string;
  readonly colour: PlotColour;
  readonly from: number;
  readonly height: number;
}

function stacked<D>(day: D, series: readonly Series<D>[], most: number): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const { id, colour, countOf } of series) {
    const height = (countOf(day) / most) * HEIGHT;
    if (height > 0) parts.push({ id, colour, from, height });
    from += height;
  }
  return parts;
}

function spoken<D extends { readonly day: string }>(
  day: D,
  series: readonly Series<D>[],
  writeDay: (day: string) => string,
  write: (count: number) => string,
): string {
  return [writeDay(day.day), ...series.map(({ title, countOf }) => `${title}: ${write(countOf(day))}`)].join('\n');
}
