/** The endpoint that proposes how an uploaded file is imported. */
import { z } from 'zod';
import { findFile } from '../../../domain/files/find-file.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { PROFILE_FILE_TYPES } from '../../../domain/profiles/model/profile.js';
import { findProfile } from '../../../domain/profiles/profiles.js';
import { fileProposal } from '../../../domain/proposals/file-proposal.js';
import { inspectedRows } from '../../../domain/proposals/model/inspection-job.js';
import { proposalSchema } from '../../../domain/proposals/model/proposal.js';
import { defineRoute } from '../../define-route.js';
import { rowsOfProfile } from './rows-of-profile.js';
import { INSPECTING, INSPECTION_REFUSALS, whenInspected } from './when-inspected.js';

/** What a file is imported as when nothing is said: items, for files of other names are items too. */
const announcedType = z.enum(PROFILE_FILE_TYPES).catch('ITEM_IMPORT');

/** A row has no more columns than this. */
const MAX_COLUMNS = 2_000;
const MAX_NAME = 1_000;
const MAX_CHOICE = 100_000;

const columnsParameter = z
  .string()
  .max(MAX_CHOICE)
  .transform((text, { addIssue }): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      addIssue({ code: 'custom', message: 'expected JSON, such as {"Bez.":"Title","Note":null}' });
      return z.NEVER;
    }
  })
  .pipe(
    z
      .record(z.string().min(1).max(MAX_NAME), z.string().trim().min(1, 'is empty').max(MAX_NAME).nullable())
      .refine((columns) => Object.keys(columns).length <= MAX_COLUMNS, `has more than ${MAX_COLUMNS} columns`),
  )
  .meta({
    description:
      'JSON: what columns of the file become, such as {"Bez.": "Title", "Note": null}. The name of an attribute, or of another column of such files; one that there is not becomes a new attribute; null: it is not imported. Of the others, the proposal decides',
  });

export const proposeImportRoute = defineRoute({
  method: 'GET',
  path: '/files/product/:id/proposal',
  operationId: 'proposeImport',
  family: 'files',
  tag: 'Files',
  summary: 'Propose how an uploaded file is imported',
  description:
    'Answers a profile for the file, what the catalog lacks for it, and what has to be decided before, by the catalog as it is now. The file is inspected first; until then, the answer is 202. Nothing of the catalog is changed.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: z.object({ id: z.string() }),
  query: z.strictObject({
    fileType: z.enum(PROFILE_FILE_TYPES).optional().meta({ description: 'Default: as the file was announced' }),
    profile: z.string().min(1).max(100).optional().meta({
      description: 'The name of a saved profile: which of its columns the file has, and what the catalog lacks for it',
    }),
    columns: columnsParameter.optional(),
    ...inspectedRows.shape,
  }),
  prefersWait: true,
  refusals: {
    ...INSPECTION_REFUSALS,
    404: 'There is no such file, or no such import profile',
    422: 'The file cannot be inspected: it is empty, no table, or damaged; or it has too many columns',
  },
  responses: {
    200: { description: 'The proposal', schema: z.object({ proposal: proposalSchema }) },
    202: INSPECTING,
  },
  async handle(request, services) {
    const { params, query, site } = request;
    const { db } = services;
    const file = await findFile(db, site.siteId, params.id);
    const { fileType, profile, columns, ...asked } = query;
    const saved = profile === undefined ? undefined : await findProfile(db, site.siteId, profile);
    const rows = saved === undefined ? asked : { ...rowsOfProfile(file, saved.profile), ...asked };
    return whenInspected(request, services, file, rows, async () => {
      const type = fileType ?? announcedType.parse(file.type);
      const proposal = await fileProposal(db, site.siteId, file.id, { fileType: type, profile, columns, rows });
      if (proposal === null)
        throw new DomainError('conflict', 'INSPECTION_FAILED', 'the file is inspected anew: ask again');
      return { status: 200, body: { proposal } };
    });
  },
});
