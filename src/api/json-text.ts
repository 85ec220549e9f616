/** Refuses what JSON allows but we cannot store or process: NUL characters, unpaired surrogates, unlimited nesting. */
import { HttpProblem } from './http-problem.js';

const MAX_DEPTH = 64;

/** Whether a text can be stored without a change. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

/** @throws HttpProblem 400 that names the first value that cannot be stored */
export function checkJsonText(root: unknown): void {
  const pending: { value: unknown; path: string; depth: number }[] = [{ value: root, path: '', depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string') checkText(value, path);
    if (typeof value !== 'object' || value === null) continue;
    if (depth === MAX_DEPTH)
      throw new HttpProblem(400, 'BODY_TOO_DEEP', `the body is nested deeper than ${MAX_DEPTH} levels`);
    for (const [key, child] of Object.entries(value)) {
      checkText(key, path);
      pending.push({ value: child, path: path === '' ? key : `${path}.${key}`, depth: depth + 1 });
    }
  }
}

function checkText(text: string, path: string): void {
  if (isStorableText(text)) return;
  const where = path === '' ? 'the body' : path;
  throw new HttpProblem(
    400,
    'INVALID_TEXT',
    `${where}: contains a NUL character or an unpaired surrogate, which cannot be stored`,
  );
}
