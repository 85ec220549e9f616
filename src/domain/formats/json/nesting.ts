/** Checks how deep a JSON text nests before it is parsed. */
import { JsonTokenizer } from './json-tokenizer.js';
import { MARK } from './json-tokens.js';

/** Whether arrays and objects in a range of bytes nest deeper than `levels`; the bytes need not be valid JSON. */
export function nestsDeeperThan(bytes: Buffer, start: number, stop: number, levels: number): boolean {
  const tokens = new JsonTokenizer(bytes);
  tokens.enter(start, stop);
  let depth = 0;
  for (let mark = tokens.mark(); mark !== MARK.end && mark !== MARK.cut; mark = tokens.mark()) {
    if (mark === MARK.open) {
      depth += 1;
      if (depth > levels) return true;
    } else if (mark === MARK.close) depth -= 1;
  }
  return false;
}
