/** The endpoints that create, change and delete an import profile. */
import type { Knex } from 'knex';
import { z } from 'zod';
import { profileDocument, profileName } from '../../../domain/profiles/model/profile.js';
import { createProfile, deleteProfile, updateProfile } from '../../../domain/profiles/profiles.js';
import { renameProfile } from '../../../domain/profiles/rename-profile.js';
import { followRenamed } from '../../../domain/settings/renamed-profile.js';
import { defineRoute } from '../../define-route.js';
import { importProfileSchema, presentImportProfile } from '../../presenters/present-import-profile.js';
import {
  EXAMPLE_PROFILE,
  nameOfProfile,
  ofProfiles,
  profileParams,
  profileQuery,
  repeatedMembers,
  targetOf,
} from './common.js';

export const createImportProfileRoute = defineRoute({
  ...ofProfiles,
  method: 'POST',
  path: '/import-profiles',
  operationId: 'createImportProfile',
  summary: 'Save a profile by which files are imported',
  description: 'What was read of a profile can be sent here as it is, to another stage as well.',
  auth: { scope: 'catalog:write' },
  body: {
    schema: z.strictObject({
      name: profileName,
      profile: profileDocument,
      version: z.int().optional().meta({ description: 'Ignored: the first version is 1' }),
      ...repeatedMembers,
    }),
    example: { name: 'ERP', profile: EXAMPLE_PROFILE },
  },
  refusals: { 409: 'There is a profile of this name, or there are too many profiles' },
  responses: { 200: { description: 'The profile', schema: importProfileSchema } },
  audit: 'IMPORT_PROFILE_CREATED',
  async handle({ body: { name, profile }, site, audit }, { db }) {
    const created = await audit.change(db, (trx) => createProfile(trx, site.siteId, name, profile), targetOf);
    return { status: 200, body: presentImportProfile(created) };
  },
});

export const updateImportProfileRoute = defineRoute({
  ...ofProfiles,
  method: 'PUT',
  path: '/import-profiles/:name',
  operationId: 'updateImportProfile',
  summary: 'Change an import profile',
  description:
    'The profile as a whole becomes its next version; if it is as before, it stays the version that it is. Jobs that were accepted keep the version that they have.',
  auth: { scope: 'catalog:write' },
  params: profileParams,
  query: z.strictObject(profileQuery),
  body: {
    schema: z.strictObject({
      profile: profileDocument,
      version: z.int().min(1).optional().meta({
        description: 'The version that you have read: if another one is the newest by now, the answer is 409',
      }),
      name: z.string().optional().meta({ description: 'Ignored: a profile keeps its name' }),
      ...repeatedMembers,
    }),
    example: { profile: EXAMPLE_PROFILE },
  },
  refusals: {
    409: 'The profile was changed since the version that the body names, or it comes with Longshore',
  },
  responses: { 200: { description: 'The profile', schema: importProfileSchema } },
  audit: 'IMPORT_PROFILE_UPDATED',
  async handle(request, { db }) {
    const { site, audit } = request;
    const { profile, version = null } = request.body;
    const name = nameOfProfile(request);
    const updated = await audit.change(db, (trx) => updateProfile(trx, site.siteId, name, profile, version), targetOf);
    return { status: 200, body: presentImportProfile(updated) };
  },
});

export const renameImportProfileRoute = defineRoute({
  ...ofProfiles,
  method: 'PATCH',
  path: '/import-profiles/:name',
  operationId: 'renameImportProfile',
  summary: 'Give an import profile another name',
  description:
    'It keeps its versions, and stays the default of its files where it is. Programs that name it have to name it anew.',
  auth: { scope: 'catalog:write' },
  params: profileParams,
  query: z.strictObject(profileQuery),
  body: {
    schema: z.strictObject({
      name: profileName,
      version: z.int().min(1).optional().meta({
        description: 'The version that you have read: if another one is the newest by now, the answer is 409',
      }),
    }),
    example: { name: 'ERP 2' },
  },
  refusals: {
    409: 'Another profile has this name, it was changed since the version that the body names, or it comes with Longshore',
  },
  responses: { 200: { description: 'The profile', schema: importProfileSchema } },
  audit: 'IMPORT_PROFILE_UPDATED',
  async handle(request, { db }) {
    const { site, audit } = request;
    const { name: next, version = null } = request.body;
    const name = nameOfProfile(request);
    const rename = async (trx: Knex.Transaction) => {
      const { before, renamed } = await renameProfile(trx, site.siteId, name, next, version);
      await followRenamed(trx, site.siteId, before, next);
      return renamed;
    };
    return { status: 200, body: presentImportProfile(await audit.change(db, rename, targetOf)) };
  },
});

export const deleteImportProfileRoute = defineRoute({
  ...ofProfiles,
  method: 'DELETE',
  path: '/import-profiles/:name',
  operationId: 'deleteImportProfile',
  summary: 'Delete an import profile with all its versions',
  description: 'Jobs that were accepted with it have a copy, and are not concerned.',
  auth: { scope: 'catalog:write' },
  params: profileParams,
  query: z.strictObject(profileQuery),
  refusals: { 409: 'The profile comes with Longshore' },
  responses: { 200: { description: 'The profile that was deleted', schema: importProfileSchema } },
  audit: 'IMPORT_PROFILE_DELETED',
  async handle(request, { db }) {
    const { site, audit } = request;
    const name = nameOfProfile(request);
    const deleted = await audit.change(db, (trx) => deleteProfile(trx, site.siteId, name), targetOf);
    return { status: 200, body: presentImportProfile(deleted) };
  },
});
