/** A value before or after a change, as text, whatever is in it. */
import { useFormat } from '../../texts/format.js';

const LONGEST = 120;

export function ChangeValue({ value }: { readonly value: unknown }) {
  const format = useFormat();
  if (value === undefined || value === null) return <span className="note">–</span>;
  if (typeof value === 'number') return format.number(value, { maximumFractionDigits: 6 });
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return <bdi className="text-value">{text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}</bdi>;
}
