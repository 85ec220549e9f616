/** Imports a file in a form of its own: as the system proposes, and as was decided where it asks. */
import { accepted, type Decisions, decide, decisionsBeside, otherReading } from './decide.js';
import { LongshoreError } from './error.js';
import type { FileReading } from './file-reading.js';
import type { ImportHeldFileRequest, ImportProposal } from './generated/types.js';
import { type HeldFile, holdFile } from './held-file.js';
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
  { profile, createMissing = false, decide: decisions = {}, reading = {}, ...options }: OwnFile,
): Promise<ImportResult> {
  const held = await holdFile(client, api, input, options);
  // An earlier call, which was interrupted, may have said how the file is imported.
  const earlier = await held.followed();
  if (earlier !== undefined) return earlier;
  let request: ImportHeldFileRequest;
  try {
    const proposal = await decidedProposal(
      held,
      { ...reading, ...(profile === undefined ? {} : { profile }) },
      decisions,
    );
    request = { ...accepted(proposal), createMissing: allOf(createMissing) };
  } catch (error) {
    if (isFinal(error)) await held.discard().catch(() => undefined);
    throw error;
  }
  return held.import(request);
}

/** A decision for another form of the file is about a proposal of its own, for which the others may be decisions. */
async function decidedProposal(
  held: HeldFile,
  asked: FileReading & { readonly profile?: string },
  decisions: Decisions,
): Promise<ImportProposal> {
  const proposal = await held.proposal(asked);
  const other = otherReading(proposal, decisions);
  if (other === undefined) return decide(proposal, decisions);
  return decidedProposal(held, { ...asked, ...other }, decisionsBeside(other, decisions));
}

/** Whether the same call would be refused again. Otherwise one with the same key goes on with the file. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof LongshoreError)) return false;
  const { code, status } = error;
  if (code === 'UNDECIDED' || code === 'DECISION_INVALID') return true;
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** Whether a file is imported as the system proposes. */
export function isProposed({ createMissing, missing, decide: decisions, reading }: ImportFileOptions): boolean {
  return (
    decisions !== undefined ||
    reading !== undefined ||
    (createMissing !== undefined && createMissing !== false && missing === undefined)
  );
}
