/** Up, down and Enter lead from a field of a table to that of another row, as in a spreadsheet. */
import type { KeyboardEvent } from 'react';

export function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const { target, key, shiftKey } = event;
  if (!(target instanceof HTMLInputElement) || target.dataset.column === undefined || target.type === 'date') return;
  const isUp = key === 'ArrowUp' || (key === 'Enter' && shiftKey);
  const isDown = key === 'ArrowDown' || (key === 'Enter' && !shiftKey);
  if (!(isUp || isDown)) return;
  const column = CSS.escape(target.dataset.column);
  const fields = [...event.currentTarget.querySelectorAll<HTMLElement>(`[data-column="${column}"]`)];
  const next = fields[fields.indexOf(target) + (isUp ? -1 : 1)];
  event.preventDefault();
  next?.focus();
  if (next instanceof HTMLInputElement) next.select();
}
