/**
 * The description of the API, which scripts/bundle.mjs writes when the API is built: to derive it from the schemas of all routes
 * takes a turn of 250 ms and more, and who asks for it needs no token.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { codeOf } from '../platform/error-code.js';
import { HttpProblem } from './http-problem.js';

/** As seen from the build and from a bundle. */
const FILE = fileURLToPath(new URL('../../openapi.json', import.meta.url));

let description: Promise<Buffer> | undefined;

/** @returns OpenAPI 3.1 as JSON. @throws HttpProblem 404 if it is not there */
export async function builtDescription(): Promise<Buffer> {
  description ??= readFile(FILE);
  try {
    return await description;
  } catch (error) {
    description = undefined;
    throw notBuilt(error);
  }
}

function notBuilt(error: unknown): unknown {
  if (codeOf(error) !== 'ENOENT') return error;
  return new HttpProblem(404, 'NOT_FOUND', 'the description of the API has not been built: run npm run build');
}
