/** Decodes the bytes of a body as UTF-8, and refuses other bytes. */
import { HttpProblem } from '../http-problem.js';

/** Bytes as text. @throws HttpProblem 400 when they are not UTF-8 */
export function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HttpProblem(400, 'BODY_NOT_UTF8', 'the body is not UTF-8');
  }
}
