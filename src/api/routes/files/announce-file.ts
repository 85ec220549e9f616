/** POST /files/product */
import { z } from 'zod';
import { runOnce } from '../../../domain/access/accept-once.js';
import { announceFile } from '../../../domain/files/announce-file.js';
import { fileNameProblem } from '../../../domain/files/file-name.js';
import { formatOf, IMPORTABLE_ENDINGS } from '../../../domain/formats/file-format.js';
import { IMPORT_FILES, typeOfFile, unknownTypeMessage } from '../../../domain/imports/import-jobs.js';
import { importOptionsSchema, jobOptions, unsupportedOptions } from '../../../domain/imports/import-options.js';
import { callbackUrlSchema } from '../../../domain/jobs/accept-job.js';
import { checkTargets } from '../../check-targets.js';
import { defineRoute } from '../../define-route.js';
import { requireRoom } from '../../store-room.js';
import { expiryAfter, signedLocation } from './signed-location.js';

const fileName = z
  .string()
  .check(({ value, issues }) => {
    const problem = fileNameProblem(value);
    if (problem !== undefined) issues.push({ code: 'custom', input: value, message: problem });
  })
  .meta({ description: `The ending names the format: ${IMPORTABLE_ENDINGS.join(' ')}, each also with .gz` });
const fileType = z.enum(IMPORT_FILES, { error: unknownTypeMessage });
const locale = z.string().regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/, 'expected a locale such as de or de-DE');

const body = z
  .object({
    fileName: fileName.optional(),
    name: fileName.optional().meta({ description: 'The same as fileName' }),
    fileType: fileType.optional(),
    type: fileType.optional().meta({ description: 'The same as fileType' }),
    locale: locale.nullish(),
    options: importOptionsSchema.prefault({}),
    callbackUrl: callbackUrlSchema.nullish().meta({ description: 'The same as options.callbackUrl' }),
  })
  .transform(({ fileName, name, fileType, type, locale, options, callbackUrl }, context) => {
    const chosenName = eitherOf(context, { fileName, name });
    const chosenType = eitherOf(context, { fileType, type });
    if (chosenName === undefined || chosenType === undefined) return z.NEVER;
    for (const { option, message } of unsupportedOptions(formatOf(chosenName).format, options)) {
      context.addIssue({ code: 'custom', path: ['options', option], message });
    }
    const given = { ...options, callbackUrl: options.callbackUrl ?? callbackUrl };
    return { name: chosenName, type: chosenType, locale: locale ?? null, options: jobOptions(given) };
  });

const announced = z.object({
  id: z.string(),
  type: z.enum(IMPORT_FILES),
  name: z.string(),
  locale: z.string().nullable(),
  location: z.url().meta({ description: 'Send the bytes of the file to this URL by PUT. No token is needed' }),
  expiresAt: z.iso.datetime().meta({ description: 'The upload must begin before this time' }),
  jobId: z.string(),
  createdAt: z.iso.datetime(),
});

export const announceFileRoute = defineRoute({
  method: 'POST',
  path: '/files/product',
  family: 'files',
  tag: 'Files',
  summary: 'Announce a file to import, and get the URL to upload it to',
  description:
    'The import starts when the upload is complete. Its job exists from now on, and can be read and cancelled.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  idempotent: true,
  body: { schema: body },
  responses: { 200: { description: 'The file, its upload URL and its job', schema: announced } },
  async handle({ body: { name, type, locale, options }, site, idempotency, requestId }, services) {
    await checkTargets(services.targets, { callbackUrl: options.callbackUrl });
    await requireRoom(services);
    const { answer } = await runOnce(services.db, idempotency, async (trx) => {
      const expiresAt = expiryAfter(services.config.uploadUrlMs);
      const jobType = typeOfFile(type);
      const file = await announceFile(trx, site, { name, type, jobType, locale, options, requestId, expiresAt });
      const presented = {
        id: file.id,
        type,
        name: file.name,
        locale: file.locale,
        location: signedLocation(services, 'upload', file.id, expiresAt),
        expiresAt: expiresAt.toISOString(),
        jobId: file.job_id,
        createdAt: file.created_at.toISOString(),
      };
      return { status: 200, body: presented, jobId: file.job_id };
    });
    return { status: answer.status, body: answer.body };
  },
});

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
