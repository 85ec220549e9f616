/** The tool that proposes the import of a file, which people approve. */
import { accepted, type Decisions, decide, decisionsBeside, otherReading, type schemas } from '@longshore/client';
import { z } from 'zod';
import { BY_APPROVAL } from '../approval.js';
import { known } from '../paging.js';
import { defineTool } from '../tool.js';
import { fileInput, type Held, heldFile, proposalOf, readingOf, withFile } from './held-file.js';
import { proposed, proposedOutput } from './proposed.js';

const creation = z.strictObject({
  attributes: z.boolean().default(false),
  options: z.boolean().default(false),
  categories: z.boolean().default(false),
  assignments: z.boolean().default(false),
});

const input = z.strictObject({
  ...fileInput,
  profile: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .optional()
    .describe(
      'The name of an import profile; null: the columns are those of Longshore itself. Default: as inspect_file proposes',
    ),
  decisions: z
    .record(z.string().min(1), z.union([z.string(), z.array(z.string()).min(1)]))
    .default({})
    .describe('Answers to the questions of inspect_file: the column, and the "value" of a reading, or several'),
  createMissing: creation
    .optional()
    .describe('Which of what the catalog lacks is created before the rows. Default: nothing'),
  mode: z.enum(['insert', 'update', 'upsert']).optional().describe('Default: upsert'),
  onError: z
    .enum(['skip', 'abort'])
    .optional()
    .describe('When it is approved: abort applies all rows or none. Default: skip'),
});

export const proposeFile = defineTool({
  name: 'propose_file',
  title: 'Propose the import of a file',
  description:
    'Proposes the import of a file as a job that waits for the approval of a person: every row is checked, nothing is applied. It takes the fileId of inspect_file, or a path. If something can be read in several ways it answers UNDECIDED with the questions, and proposes nothing. It answers the job and a preview; show them to the user.',
  effect: 'proposes',
  input,
  output: proposedOutput,
  run: async (given, call) => {
    const { path, fileId, fileType, mode, onError } = given;
    const file = await heldFile({ path, fileId, fileType }, call);
    return withFile(file, async () => {
      const how = await requestOf(file, given, call);
      const options = { ...how.options, ...known({ mode, onError }), ...BY_APPROVAL };
      const { signal, api } = call;
      const answer = await api.importHeldFile({ id: file.id, body: { ...how, options } }, { signal });
      return proposed(call, 'jobId' in answer ? answer.jobId : answer.id);
    });
  },
});

/** How the file is imported: as it is proposed and was decided. @throws LongshoreError with the code UNDECIDED */
async function requestOf(
  file: Held,
  { profile, decisions, createMissing, ...given }: z.output<typeof input>,
  call: Parameters<typeof proposalOf>[2],
): Promise<schemas.ImportHeldFileRequest> {
  const reading = readingOf(given);
  if (profile === null) return { profile: null, options: known({ sheet: reading.sheet, encoding: reading.encoding }) };
  const { profile: document, missing } = accepted(
    await decidedProposal(file, { ...reading, profile }, decisions, call),
  );
  const creates = createMissing !== undefined && Object.values(createMissing).includes(true);
  return { profile: profile ?? document, ...(creates ? { missing, createMissing } : {}) };
}

/** Another form of a file makes other columns: whoever decides for it needs another proposal. */
async function decidedProposal(
  file: Held,
  how: Parameters<typeof proposalOf>[1],
  decisions: Decisions,
  call: Parameters<typeof proposalOf>[2],
): Promise<schemas.ImportProposal> {
  const proposal = await proposalOf(file, how, call);
  const other = otherReading(proposal, decisions);
  if (other === undefined) return decide(proposal, decisions);
  return decidedProposal(file, { ...how, ...other }, decisionsBeside(other, decisions), call);
}
