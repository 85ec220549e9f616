/** Formats the answer of a command. */
import type { Answer } from './commands/command.js';

/** JSON on one line; or, for people, one `name  value` on each line and a blank line between the elements of a list. */
export function showAnswer(answer: Answer, json: boolean): string {
  if (json) return `${JSON.stringify(answer)}\n`;
  const blocks = Array.isArray(answer) ? answer.map(blockOf) : [blockOf(answer)];
  return blocks.length === 0 ? 'none\n' : `${blocks.join('\n\n')}\n`;
}

function blockOf(entry: object): string {
  const fields = Object.entries(entry).filter(([, value]) => value !== null && value !== undefined);
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`).join('\n');
}

function shown(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.join(' ') : String(value);
}
