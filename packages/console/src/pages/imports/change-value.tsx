/** A value before or after a change, as text, whatever is in it. */
import { useFormat } from '../../texts/format.js';
import { useValues } from '../catalog/values.js';

const LONGEST = 120;
const INTEGER = { type: 'INTEGER', optionsType: null } as const;
const DECIMAL = { type: 'DECIMAL', optionsType: null } as const;

interface ChangeValueProps {
  readonly value: unknown;
  /** It is of an attribute of numbers, which the API writes as texts where digits would be lost. */
  readonly isNumber?: boolean;
}

export function ChangeValue({ value, isNumber = false }: ChangeValueProps) {
  const format = useFormat();
  const values = useValues();
  if (value === undefined || value === null) return <span className="note">–</span>;
  if (isNumber) return values.show(String(value).includes('.') ? DECIMAL : INTEGER, value);
  if (typeof value === 'number') return format.number(value, { maximumFractionDigits: 6 });
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return <bdi className="text-value">{text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}</bdi>;
}
