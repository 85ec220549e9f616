/** The endpoints that read import profiles and their versions. */
import { z } from 'zod';
import { PROFILE_FILE_TYPES } from '../../../domain/profiles/model/profile.js';
import { findProfile, listProfiles, listVersions } from '../../../domain/profiles/profiles.js';
import { defineRoute } from '../../define-route.js';
import { digits, pageParameters } from '../../list-query.js';
import {
  importProfileSchema,
  listedImportProfileSchema,
  presentImportProfile,
  presentListedProfile,
} from '../../presenters/present-import-profile.js';
import { pageSchema, presentPage } from '../../presenters/present-page.js';
import { nameOfProfile, ofProfiles, profileParams, profileQuery } from './common.js';

const MAX_VERSION = 2_147_483_647;

export const listImportProfilesRoute = defineRoute({
  ...ofProfiles,
  method: 'GET',
  path: '/import-profiles',
  operationId: 'listImportProfiles',
  summary: 'List import profiles by name',
  description: 'The profiles of the stage, without their documents, and after them those that come with Longshore.',
  auth: { scope: 'catalog:read' },
  query: z.strictObject({
    fileType: z.enum(PROFILE_FILE_TYPES).optional(),
    shipped: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: 'true: only those that come with Longshore; false: only those that were saved' }),
    ...pageParameters,
  }),
  responses: {
    200: { description: 'The profiles, without their documents', schema: pageSchema(listedImportProfileSchema) },
  },
  async handle({ query: { fileType, shipped, offset, limit }, site }, { db }) {
    const filter = { fileType, shipped: shipped === undefined ? undefined : shipped === 'true' };
    const page = await listProfiles(db, site.siteId, filter, { offset, limit });
    return { status: 200, body: presentPage(page, { offset, limit }, presentListedProfile) };
  },
});

export const readImportProfileRoute = defineRoute({
  ...ofProfiles,
  method: 'GET',
  path: '/import-profiles/:name',
  operationId: 'getImportProfile',
  summary: 'Read an import profile',
  description: 'The answer can be kept as a file, and sent to another stage.',
  auth: { scope: 'catalog:read' },
  params: profileParams,
  query: z.strictObject({
    ...profileQuery,
    version: digits(1, MAX_VERSION)
      .optional()
      .meta({ description: 'Default: the newest', type: 'integer', pattern: undefined, minimum: 1 }),
  }),
  responses: { 200: { description: 'The profile', schema: importProfileSchema } },
  async handle(request, { db }) {
    const { query, site } = request;
    const found = await findProfile(db, site.siteId, nameOfProfile(request), query.version);
    return { status: 200, body: presentImportProfile(found) };
  },
});

export const listImportProfileVersionsRoute = defineRoute({
  ...ofProfiles,
  method: 'GET',
  path: '/import-profiles/:name/versions',
  operationId: 'listImportProfileVersions',
  summary: 'List the versions of an import profile, newest first',
  description: 'Every change has made one. Read a version with `version` of the operation that reads a profile.',
  auth: { scope: 'catalog:read' },
  params: profileParams,
  query: z.strictObject({ ...profileQuery, ...pageParameters }),
  responses: {
    200: {
      description: 'The versions',
      schema: pageSchema(z.object({ version: z.int(), createdAt: z.iso.datetime().nullable() })),
    },
  },
  async handle(request, { db }) {
    const { offset, limit } = request.query;
    const page = await listVersions(db, request.site.siteId, nameOfProfile(request), { offset, limit });
    const body = presentPage(page, { offset, limit }, ({ version, created_at }) => ({
      version,
      createdAt: created_at?.toISOString() ?? null,
    }));
    return { status: 200, body };
  },
});
