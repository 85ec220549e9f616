/** The endpoint that announces a file, and answers the address for its upload. */
import { z } from 'zod';
import type { Db } from '../../../../db/connection.js';
import { runOnce } from '../../../domain/access/accept-once.js';
import { announceFile } from '../../../domain/files/announce-file.js';
import { looksFor } from '../../../domain/files/direct-uploads.js';
import { fileNameProblem, isArchiveName } from '../../../domain/files/file-name.js';
import { PART_BYTES } from '../../../domain/files/file-parts.js';
import { formatOf, IMPORTABLE_ENDINGS } from '../../../domain/formats/file-format.js';
import { requireSnapshot } from '../../../domain/imports/check-snapshot.js';
import { givenOptionsSchema, jobOptions, unsupportedOptions } from '../../../domain/imports/given-options.js';
import { chooseProfile, withProfile } from '../../../domain/imports/given-profile.js';
import { IMPORT_FILES, typeOfFile } from '../../../domain/imports/model/import-jobs.js';
import type { ImportOptions } from '../../../domain/imports/model/import-options.js';
import { withOptionsOf } from '../../../domain/imports/options-of-earlier.js';
import { optionsOfImport } from '../../../domain/imports/options-of-import.js';
import { callbackUrlSchema } from '../../../domain/job-model/job-type.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { NOTHING_TO_APPROVE } from '../../bulk-query.js';
import { checkTargets } from '../../check-targets.js';
import type { ApiRequest } from '../../define-route.js';
import { defineRoute } from '../../define-route.js';
import { neededApproval } from '../../needed-approval.js';
import type { ApiServices } from '../../services.js';
import { requireRoomFor, requireRows } from '../../store-room.js';
import { archiveOptions, isArchive, refusedForArchive, requireArchiveAllowed } from './archive-options.js';
import { expiryAfter, uploadLocation } from './signed-locations.js';

const fileName = z
  .string()
  .check(({ value, issues }) => {
    const problem = fileNameProblem(value, isArchiveName(value));
    if (problem !== undefined) issues.push({ code: 'custom', input: value, message: problem });
  })
  .meta({
    description: `The ending names the format: ${IMPORTABLE_ENDINGS.join(' ')}, each also with .gz; .zip for SITE_IMPORT`,
  });
const NOT_HELD = 'does not apply to an archive, which is checked before anything of it is written: leave it out';
/** A profile may come with it. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

const fileType = z.enum(IMPORT_FILES);
const locale = z.string().regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/, 'expected a locale such as de or de-DE');

const body = z
  .strictObject({
    fileName: fileName.optional(),
    name: fileName.optional().meta({ description: 'The same as fileName' }),
    fileType: fileType.optional(),
    type: fileType.optional().meta({ description: 'The same as fileType' }),
    locale: locale.optional(),
    options: givenOptionsSchema.prefault({}),
    hold: z.boolean().default(false).meta({
      description:
        'After its upload, the file waits until POST /files/product/{id}/actions/import says how to import it; until then it can be inspected',
    }),
    retryOf: z.string().optional().meta({
      description: 'A job that imported before: its options are used where `options` leaves them out',
    }),
    callbackUrl: callbackUrlSchema.optional().meta({ description: 'The same as options.callbackUrl' }),
  })
  .transform(({ fileName, name, fileType, type, locale, options, hold, retryOf, callbackUrl }, context) => {
    const chosenName = eitherOf(context, { fileName, name });
    const chosenType = eitherOf(context, { fileType, type });
    if (chosenName === undefined || chosenType === undefined) return z.NEVER;
    const asArchive = isArchive(chosenType);
    const problem = fileNameProblem(chosenName, asArchive);
    if (problem !== undefined) {
      context.addIssue({ code: 'custom', path: [fileName === undefined ? 'name' : 'fileName'], message: problem });
      return z.NEVER;
    }
    const unfit = asArchive
      ? refusedForArchive(options)
      : unsupportedOptions(formatOf(chosenName).format, options, chosenType);
    for (const { option, message } of unfit) {
      context.addIssue({ code: 'custom', path: ['options', option], message });
    }
    if (asArchive && hold) context.addIssue({ code: 'custom', path: ['hold'], message: NOT_HELD });
    if (asArchive && retryOf) context.addIssue({ code: 'custom', path: ['retryOf'], message: NOT_HELD });
    if (options.validateOnly && options.requireApproval)
      context.addIssue({ code: 'custom', path: ['options', 'requireApproval'], message: NOTHING_TO_APPROVE });
    const given = { ...options, callbackUrl: options.callbackUrl ?? callbackUrl };
    return {
      name: chosenName,
      type: chosenType,
      locale: locale ?? null,
      options: asArchive ? archiveOptions(jobOptions(given)) : jobOptions(given),
      profile: options.profile,
      hold,
      retryOf: retryOf || null,
    };
  });

const announced = z
  .object({
    id: z.string(),
    type: z.enum(IMPORT_FILES),
    name: z.string(),
    locale: z.string().nullable(),
    location: z.url().meta({
      description:
        'Send the bytes of the file to this URL by PUT. No token is needed. It is a URL of the API, or of the S3 store',
    }),
    expiresAt: z.iso.datetime().meta({ description: 'The upload must begin before this time' }),
    partBytes: z.int().nullable().meta({
      description:
        'A larger file is best sent in parts of so many bytes, so that an upload that is cut goes on where it was. Null: it is sent as a whole',
    }),
    jobId: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'AnnouncedFile' });

export const announceFileRoute = defineRoute({
  method: 'POST',
  path: '/files/product',
  operationId: 'announceFile',
  family: 'files',
  tag: 'Files',
  summary: 'Announce a file to import, and get the URL to upload it to',
  description:
    'The import starts when the upload is complete, or with `hold` when actions/import asks for it. Its job exists from now on, and can be read and cancelled.',
  auth: { scope: 'catalog:write', orProposing: true },
  siteContext: true,
  idempotent: true,
  body: {
    schema: body,
    maxBytes: MAX_BODY_BYTES,
    example: { fileName: 'items.csv', fileType: 'ITEM_IMPORT', options: { mode: 'upsert' } },
  },
  refusals: {
    404: 'There is no import profile of this name',
    409: 'The default profile of such files was deleted',
  },
  responses: { 200: { description: 'The file, its upload URL and its job', schema: announced } },
  audit: 'UPLOAD_ANNOUNCED',
  async handle(request, services) {
    const { site, idempotency, requestId, audit } = request;
    const { name, type, locale, options: own, profile, hold, retryOf } = request.body;
    const asArchive = isArchive(type);
    if (asArchive) requireArchiveAllowed(request.principal, site);
    const file = { siteId: site.siteId, type, format: asArchive ? 'JSONL' : formatOf(name).format } as const;
    // The default is that of the moment in which it is decided how the file is imported.
    const isLater = asArchive || (profile === undefined && (hold || retryOf !== null));
    const paths = { profile: 'options.profile', options: 'options.' };
    const given = isLater ? own : withProfile(own, await chooseProfile(services.db, file, profile, own, paths));
    const earlier = retryOf === null ? null : await optionsToRetry(services.db, site.siteId, retryOf, type);
    const merged = retryOf === null || earlier === null ? given : withOptionsOf(given, earlier, retryOf, file.format);
    // Held, it may be imported with definitions that are created first.
    const options = hold ? merged : await requireSnapshot(services.db, site.siteId, { type }, merged);
    await checkTargets(services.targets, { callbackUrl: options.callbackUrl });
    // Whether a held file needs an approval is decided when it is imported.
    const needed = hold ? options : (await neededApproval(request, services, asArchive))(options, type);
    const { answer } = await runOnce(services.db, idempotency, async (trx) => {
      // Within, as all limits: an answer that was given already is given again, and spends nothing.
      await requireRoomFor(request, services);
      await requireRows(request, services, 0);
      const mostOpen = mostOpenOf(request, services);
      const expiresAt = expiryAfter(services.config.uploadUrlMs);
      const jobType = typeOfFile(type);
      const { lookAt, until } = looksFor(services.fileStore, expiresAt);
      const holdHours = hold ? services.config.heldFileHours : null;
      const announcement = {
        name,
        type,
        jobType,
        locale,
        options: needed,
        requestId,
        expiresAt: until,
        lookAt,
        mostOpen,
      };
      const made = await announceFile(trx, site, { ...announcement, holdHours });
      await audit.record(trx, `file/${made.id}`);
      const presented = {
        id: made.id,
        type,
        name: made.name,
        locale: made.locale,
        location: await uploadLocation(services, made.id, expiresAt),
        expiresAt: expiresAt.toISOString(),
        partBytes: services.fileStore.direct === null ? PART_BYTES : null,
        jobId: made.job_id,
        createdAt: made.created_at.toISOString(),
      };
      return { status: 200, body: presented, jobId: made.job_id };
    });
    return { status: answer.status, body: answer.body };
  },
});

/** How many files of the account may wait for their upload: its quota, if that is less than the limit for all. */
function mostOpenOf({ principal }: Pick<ApiRequest, 'principal'>, { config }: ApiServices): number {
  const quota = principal.kind === 'account' ? principal.quotas.uploads : undefined;
  return Math.min(config.openUploadsPerAccount, quota ?? Number.POSITIVE_INFINITY);
}

/** @throws DomainError invalid when the site has no such job, or one that imported something else */
async function optionsToRetry(
  db: Db,
  siteId: number,
  jobId: string,
  type: z.output<typeof fileType>,
): Promise<ImportOptions> {
  const options = await optionsOfImport(db, siteId, jobId, typeOfFile(type).kind);
  if (options !== undefined) return options;
  const message = `there is no job ${jobId.slice(0, 60)} that imported what ${type} imports: name the job whose error file this is, or leave it out`;
  const problems = [{ path: 'retryOf', code: 'FIELD_INVALID', message }];
  throw new DomainError('invalid', 'REQUEST_INVALID', `the body is not as expected: retryOf: ${message}`, { problems });
}

/** The value given under one of two names. Both may be given if they are equal. */
function eitherOf<T>(context: z.RefinementCtx, given: Readonly<Record<string, T | undefined>>): T | undefined {
  const [first = '', second = ''] = Object.keys(given);
  const value = given[first] ?? given[second];
  if (value === undefined) {
    context.addIssue({ code: 'custom', path: [first], message: `is missing: give "${first}" (or "${second}")` });
  } else if ((given[second] ?? value) !== value) {
    context.addIssue({ code: 'custom', path: [second], message: `is not the same as "${first}"; give one of them` });
    return undefined;
  }
  return value;
}
