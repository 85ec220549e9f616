/** The endpoint that shows what a profile makes of the first rows of a file. */
import { z } from 'zod';
import { findFile } from '../../../domain/files/find-file.js';
import { profileDocument } from '../../../domain/profiles/model/profile.js';
import { tryProfile } from '../../../domain/proposals/try-profile.js';
import { defineRoute } from '../../define-route.js';
import { EXAMPLE_PROFILE } from '../import-profiles/common.js';
import { rowsOfProfile } from './rows-of-profile.js';
import { INSPECTING, INSPECTION_REFUSALS, whenInspected } from './when-inspected.js';

const tried = z.object({
  columns: z.array(z.string()).meta({ description: 'The columns of ours that the profile fills' }),
  rows: z.array(
    z.object({
      row: z.int().meta({ description: 'The number of the row in the file' }),
      isLeftOut: z.boolean().meta({ description: 'Whether the profile leaves the row out' }),
      continues: z
        .int()
        .nullable()
        .meta({ description: 'The row that it continues, which has its values; null: it is a row of its own' }),
      cells: z
        .array(
          z.object({
            text: z.string().meta({ description: 'What the file has' }),
            value: z.string().nullable().meta({ description: 'What it becomes; null: a step cannot convert it' }),
            problem: z.string().nullable().meta({ description: 'What is wrong with it' }),
          }),
        )
        .meta({ description: 'In the order of `columns`' }),
    }),
  ),
  problems: z.array(z.string()).meta({ description: 'Why the file would be rejected: columns that it lacks' }),
  differences: z.array(z.string()).meta({
    description: 'Where the profile says another form than the file has. The rows are read as the file is written',
  }),
});

export const tryProfileRoute = defineRoute({
  method: 'POST',
  path: '/files/product/:id/actions/try-profile',
  operationId: 'tryImportProfile',
  family: 'files',
  tag: 'Files',
  summary: 'Try a profile on the first rows of a file',
  description:
    'Answers what becomes of each cell of the first 20 rows by a profile that need not be saved. The file is inspected first; until then, the answer is 202. Nothing of the catalog is read or changed: whether an attribute accepts a value is what a dry run says.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: z.object({ id: z.string() }),
  body: { schema: z.strictObject({ profile: profileDocument }), example: { profile: EXAMPLE_PROFILE } },
  prefersWait: true,
  refusals: INSPECTION_REFUSALS,
  responses: {
    200: { description: 'What becomes of the rows', schema: z.object({ trial: tried.meta({ id: 'ProfileTrial' }) }) },
    202: INSPECTING,
  },
  async handle(request, services) {
    const { profile } = request.body;
    const file = await findFile(services.db, request.site.siteId, request.params.id);
    return whenInspected(request, services, file, rowsOfProfile(file, profile), async (inspection) => ({
      status: 200,
      body: { trial: tryProfile(inspection, profile) },
    }));
  },
});
