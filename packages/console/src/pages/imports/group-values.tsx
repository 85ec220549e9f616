/** The different values of a group of errors. */
import type { JobError } from '@longshore/client';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';

const SHOWN_VALUES = 4;
const LONGEST = 80;

const useText = textsOf('group-values', {
  values: { en: 'In the file', de: 'In der Datei' },
  empty: { en: 'empty', de: 'leer' },
});

/** The most frequent first. */
export function GroupValues({ errors }: { readonly errors: readonly JobError[] }) {
  const t = useText();
  const format = useFormat();
  const counts = new Map<string | null, number>();
  for (const { value } of errors) counts.set(value, (counts.get(value) ?? 0) + 1);
  const values = [...counts].sort(([, a], [, b]) => b - a).slice(0, SHOWN_VALUES);
  return (
    <p className="values">
      <span className="small">{t('values')}</span>
      {values.map(([value, count]) => (
        <span key={value ?? ''} className="value">
          {value === null || value === '' ? <em>{t('empty')}</em> : <bdi>{shortened(value)}</bdi>}
          <span className="value-count"> × {format.number(count)}</span>
        </span>
      ))}
    </p>
  );
}

function shortened(value: string): string {
  return value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value;
}
