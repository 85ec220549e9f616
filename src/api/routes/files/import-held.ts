/** The endpoint that says how a held file is to be imported. */
import { z } from 'zod';
import type { Db } from '../../../../db/connection.js';
import type { File } from '../../../../db/models/file.js';
import { findFile } from '../../../domain/files/find-file.js';
import { importHeldFile } from '../../../domain/files/import-held.js';
import { previewHeldFile } from '../../../domain/files/preview-held.js';
import { formatOf } from '../../../domain/formats/file-format.js';
import { requireSnapshot } from '../../../domain/imports/check-snapshot.js';
import {
  givenOptionsSchema,
  jobOptions,
  unsupportedOptions,
  withAnnouncedOptions,
} from '../../../domain/imports/given-options.js';
import { chooseProfile, requireNoContradiction, withProfile } from '../../../domain/imports/given-profile.js';
import { IMPORT_FILES, typeOfFile } from '../../../domain/imports/model/import-jobs.js';
import type { ImportOptions } from '../../../domain/imports/model/import-options.js';
import { optionsOfImport } from '../../../domain/imports/options-of-import.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { acceptMadeJob } from '../../accept-made-job.js';
import { defineRoute } from '../../define-route.js';
import { neededApproval } from '../../needed-approval.js';
import { jobSchema } from '../../presenters/present-job.js';

const body = z
  .strictObject({
    createMissing: givenOptionsSchema.shape.createMissing,
    missing: givenOptionsSchema.shape.missing,
    profile: givenOptionsSchema.shape.profile,
    hold: z.boolean().optional().meta({
      description:
        'With `validateOnly`: the file stays held, and the trial is a job of its own. So it can be tried again, and imported',
    }),
    options: givenOptionsSchema.omit({ createMissing: true, missing: true, profile: true }).prefault({}).meta({
      description: 'As of the announcement, whose options are used where these leave them out',
    }),
  })
  .refine(({ hold, options }) => hold !== true || options.validateOnly === true, {
    path: ['hold'],
    message: 'keeps a file held that is only tried: set options.validateOnly to true, or leave it out',
  })
  .prefault({});

/** The definitions of 2,000 columns with their options, and a profile. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

const fileType = z.enum(IMPORT_FILES);

export const importHeldFileRoute = defineRoute({
  method: 'POST',
  path: '/files/product/:id/actions/import',
  operationId: 'importHeldFile',
  family: 'files',
  tag: 'Files',
  summary: 'Import a held file',
  description:
    'Of a file that was announced with `"hold": true` and is uploaded: its job, which was AWAITING_PROFILE, gets these options and its place in the order. With `hold` and `validateOnly`, another job tries it, and the file stays held.',
  auth: { scope: 'catalog:write', orProposing: true },
  siteContext: true,
  params: z.object({ id: z.string() }),
  body: { schema: body, required: false, maxBytes: MAX_BODY_BYTES, example: { options: { onError: 'abort' } } },
  idempotent: true,
  prefersWait: true,
  refusals: {
    404: 'There is no such file, or no import profile of this name',
    409: 'The file is not uploaded yet, was not held, or is imported already; its job was cancelled; or the default profile of such files was deleted',
    410: 'The file was held for too long, and has expired',
  },
  responses: {
    200: { description: 'With `Prefer: wait`: the job, which has ended', schema: jobSchema },
    202: {
      description: 'Accepted; Location is the address of the job',
      schema: z.object({ jobId: z.string(), status: z.enum(['SCHEDULED', 'AWAITING_APPROVAL']) }),
    },
  },
  audit: 'HELD_FILE_IMPORTED',
  async handle(request, services) {
    const { params, site, body: given = body.parse({}) } = request;
    const file = await findFile(services.db, site.siteId, params.id);
    refuseOptions(file, given);
    const type = typeOfFile(fileType.catch('ITEM_IMPORT').parse(file.type));
    const withApproval = await neededApproval(request, services);
    const isTrial = given.hold === true;
    const heldId = file.job_id ?? '';
    return acceptMadeJob(request, services, {
      callbackUrl: given.options.callbackUrl ?? undefined,
      ...(isTrial ? {} : { jobId: heldId }),
      accept: async (trx, { id, requestId }) => {
        const announced = await optionsOfImport(trx, site.siteId, heldId, type.kind);
        const named = await optionsOf(trx, file, given, announced);
        const decided = await requireSnapshot(trx, site.siteId, { type: file.type }, named);
        const options = withApproval(decided, file.type);
        if (!isTrial) return importHeldFile(trx, file, type, options);
        const { siteId, accountId, channel, traceparent, actor } = site;
        const job = { id, siteId, accountId, channel, traceparent, actor, jobType: type, type: file.type };
        return previewHeldFile(trx, file, { ...job, options, requestId });
      },
    });
  },
});

/** The options with which the file is imported. @throws DomainError when there is no such profile, or it does not fit */
async function optionsOf(
  db: Db,
  file: File,
  { profile, options: own, createMissing, missing }: z.output<typeof body>,
  announced: ImportOptions | undefined,
): Promise<ImportOptions> {
  const options = jobOptions({ ...own, createMissing, missing });
  const about = { siteId: file.site_id, type: file.type, format: formatOf(file.name).format };
  const earlier = announced?.profile;
  if (profile === undefined && earlier !== undefined) {
    if (earlier !== null) requireNoContradiction(earlier, own, { profile: 'profile', options: 'options.' });
    return withAnnouncedOptions(withProfile(options, { profile: earlier, isDefault: false }), announced);
  }
  const decided = profile === undefined ? { ...announced, ...own } : own;
  const chosen = await chooseProfile(db, about, profile, decided, { profile: 'profile', options: 'options.' });
  return withAnnouncedOptions(withProfile(options, chosen), announced);
}

/** @throws DomainError invalid when an option does not apply to the file */
function refuseOptions(file: File, { options, ...creating }: z.output<typeof body>): void {
  const named = unsupportedOptions(formatOf(file.name).format, { ...options, ...creating }, file.type).map(
    ({ option, message }) => ({ path: option === 'createMissing' ? option : `options.${option}`, message }),
  );
  const problems = named.map((one) => ({ ...one, code: 'FIELD_INVALID' }));
  const [first] = problems;
  if (first === undefined) return;
  const message = `the body is not as expected: ${first.path}: ${first.message}`;
  throw new DomainError('invalid', 'REQUEST_INVALID', message, { problems });
}
