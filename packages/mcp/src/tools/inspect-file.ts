/** The tool that uploads a file, and says what is in it and how it would be imported. */
import { openQuestions, type schemas } from '@longshore/client';
import { z } from 'zod';
import { known, moreText, nextOf, offsetOf, paged, pagedOutput } from '../paging.js';
import { ToolProblem } from '../problem.js';
import { smallPage } from '../small.js';
import { defineTool } from '../tool.js';
import { fileInput, type Held, heldFile, inspectionOf, proposalOf, readingOf, withFile } from './held-file.js';

const MOST_SAMPLES = 3;
const MOST_QUESTIONS = 30;
const MOST_NAMES = 20;

const row = z.looseObject({});

export const inspectFile = defineTool({
  name: 'inspect_file',
  title: 'Inspect a file',
  description:
    'Uploads a file of this machine (CSV, TSV, XLSX, ODS, JSON, XML) without importing it, and says what is in it: its form, what becomes of each column, what the catalog lacks for it, and the questions that have to be answered first. An upload that is not used is deleted after some days. Then call propose_file with its fileId.',
  effect: 'proposes',
  input: z.strictObject({
    ...fileInput,
    profile: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('The name of an import profile that the file is held against'),
    ...paged,
  }),
  output: z.object({
    file: row,
    state: z.enum(['INSPECTED', 'IN_PROGRESS']),
    rows: z.int().optional(),
    kind: row.optional(),
    format: row.optional(),
    lines: z.array(row).describe('What becomes of each column'),
    lineCount: z.int(),
    questions: z.array(row).describe('What has to be decided, with the readings; on the first page only'),
    profiles: z
      .array(row)
      .optional()
      .describe('Profiles that read files with these columns: name one as "profile" to import by it'),
    missing: row.optional().describe('How much the catalog lacks, and the first names'),
    ...pagedOutput,
  }),
  run: async ({ profile, limit, after, ...named }, call) => {
    const reading = readingOf(named);
    const offset = offsetOf(after);
    if (after !== undefined && named.path !== undefined) {
      throw new ToolProblem('"after" goes with "fileId": with "path" the file would be uploaded again', {
        code: 'INPUT_INVALID',
      });
    }
    const file = await heldFile(named, call);
    return withFile(file, async () => {
      const inspection = await inspectionOf(file, reading, call);
      if (inspection === undefined) return unfinished(file);
      const proposal = await proposalOf(file, { ...reading, profile }, call);
      const lines = linesOf(proposal, inspection);
      const page = await smallPage(limit, async (wanted) => {
        const rows = lines.slice(offset, offset + wanted);
        const end = offset + rows.length;
        return { rows, next: end < lines.length ? String(end) : undefined };
      });
      const questions = openQuestions(proposal);
      const firstPage =
        offset === 0
          ? { ...formOf(inspection, proposal), profiles: profilesOf(proposal), missing: missingOf(proposal.missing) }
          : {};
      const asked = questions.length === 0 ? 'Nothing is open.' : `Open questions: ${questions.length}.`;
      const shown = `Inspected: ${inspection.rows} rows, ${page.rows.length} of ${lines.length} columns are shown. ${moreText(page)} ${asked}`;
      const text = [shown, ...(offset === 0 ? proposal.notes : [])].join(' ');
      const data = {
        file: { ...file },
        state: 'INSPECTED' as const,
        ...firstPage,
        lines: [...page.rows],
        lineCount: lines.length,
        questions: offset === 0 ? questions.slice(0, MOST_QUESTIONS).map((one) => ({ ...one })) : [],
        ...nextOf(page),
      };
      return { text, data };
    });
  },
});

function unfinished(file: Held) {
  const data = { file: { ...file }, state: 'IN_PROGRESS' as const, lines: [], lineCount: 0, questions: [] };
  return { text: 'The file is uploaded, and is still being read: call again with "fileId".', data };
}

function linesOf({ lines }: schemas.ImportProposal, { columns }: schemas.FileInspection): Record<string, unknown>[] {
  const types = new Map(columns.map(({ name, type }) => [name, type.value]));
  return lines.map(({ samples, rivals, from, ...line }) => {
    const type = typeof from === 'string' ? types.get(from) : undefined;
    return {
      from,
      ...line,
      ...known({ type: type ?? undefined }),
      samples: samples.slice(0, MOST_SAMPLES),
      ...(rivals.length === 0 ? {} : { rivals }),
    };
  });
}

interface Judged {
  readonly value: unknown;
  readonly verdict: string;
  readonly reason: string;
}

function formOf({ rows, kind, format }: schemas.FileInspection, { notes }: schemas.ImportProposal) {
  const { encoding, delimiter, headerRow, headerRows, rowPath, sheet, sheets, sheetChoice } = format;
  const answers: Readonly<Record<string, Judged | null>> = { encoding, delimiter, headerRow, rowPath, sheetChoice };
  return {
    rows,
    kind: short(kind),
    format: {
      ...Object.fromEntries(
        Object.entries(answers).flatMap(([name, one]) => (one === null ? [] : [[name, short(one)]])),
      ),
      ...(headerRows === 1 ? {} : { headerRows }),
      ...(sheet === null ? {} : { sheet }),
      ...(sheets === null ? {} : { sheets }),
      ...(notes.length === 0 ? {} : { notes }),
    },
  };
}

function short({ value, verdict, reason }: Judged): Record<string, unknown> {
  return { value, verdict, ...(verdict === 'certain' ? {} : { reason }) };
}

function profilesOf({ profiles }: schemas.ImportProposal) {
  return profiles.map(({ description, ...one }) => ({ ...one, ...known({ description: description ?? undefined }) }));
}

function missingOf({ attributes, options, categories, assignments }: schemas.ProposedDefinitions) {
  const names = (all: readonly unknown[]) => ({ count: all.length, first: all.slice(0, MOST_NAMES) });
  return {
    attributes: names(attributes.map(({ name, type }) => `${name} (${type})`)),
    options: names(options.map(({ attribute, values }) => `${attribute}: ${values.length} values`)),
    categories: names(categories),
    assignments: names(assignments.map(({ category }) => category)),
  };
}
