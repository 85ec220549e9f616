/** Imports a file in a form of its own: as the system proposes, and as was decided where it asks. */
import { accepted, decide, otherRows } from './decide.js';
import { LongshoreError } from './error.js';
import type { ImportHeldFileRequest } from './generated/types.js';
import { holdFile } from './held-file.js';
import { allOf, type ImportFileOptions, type ImportResult } from './import-file.js';
import type { Operations } from './operations.js';
import type { ClientOptions } from './transport.js';
import type { FileSource } from './upload-file.js';

interface OwnFile extends Omit<ImportFileOptions, 'profile' | 'missing'> {
  /** The profile that is proposed. Default: one made for the file */
  readonly profile?: string | undefined;
}

/** @throws LongshoreError with the code UNDECIDED when a question is open; nothing of the file is left then */
export async function importOwnFile(
  client: ClientOptions,
  api: Operations,
  input: FileSource | Blob | Uint8Array | string,
  { profile, createMissing = false, decide: decisions = {}, ...options }: OwnFile,
): Promise<ImportResult> {
  const held = await holdFile(client, api, input, options);
  // An earlier call, which was interrupted, may have said how the file is imported.
  const earlier = await held.followed();
  if (earlier !== undefined) return earlier;
  let request: ImportHeldFileRequest;
  try {
    const given = profile === undefined ? {} : { profile };
    const first = await held.proposal(given);
    const rowPath = otherRows(first, decisions);
    const { rowPath: _, ...others } = decisions;
    const proposal =
      rowPath === undefined ? decide(first, decisions) : decide(await held.proposal({ ...given, rowPath }), others);
    request = { ...accepted(proposal), createMissing: allOf(createMissing) };
  } catch (error) {
    if (isFinal(error)) await held.discard().catch(() => undefined);
    throw error;
  }
  return held.import(request);
}

/** Whether the same call would be refused again. Otherwise one with the same key goes on with the file. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof LongshoreError)) return false;
  const { code, status } = error;
  if (code === 'UNDECIDED' || code === 'DECISION_INVALID') return true;
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** Whether a file is imported as the system proposes. */
export function isProposed({ createMissing, missing, decide: decisions }: ImportFileOptions): boolean {
  return decisions !== undefined || (createMissing !== undefined && createMissing !== false && missing === undefined);
}
