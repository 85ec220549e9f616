/** Import profiles: how the columns of files of your own become those of the catalog. */
import { LongshoreError } from './error.js';
import type { ImportProfile, ImportProfileDocument } from './generated/types.js';
import type { AnswerOf, Operations } from './operations.js';
import type { CallOptions } from './transport.js';

type Call = Pick<CallOptions, 'site' | 'signal'>;
type Listed = AnswerOf<'listImportProfiles'>['data'][number];

export interface ProfileHelpers {
  /** All profiles of the stage, by name. @throws LongshoreError */
  list(options?: Call & { readonly fileType?: ImportProfileDocument['fileType'] }): Promise<Listed[]>;
  /** Undefined when there is none of this name. @throws LongshoreError */
  find(name: string, options?: Call & { readonly version?: number }): Promise<ImportProfile | undefined>;
  /** Creates the profile, or makes a new version of it. @throws LongshoreError */
  save(name: string, profile: ImportProfileDocument, options?: Call): Promise<ImportProfile>;
  /** Deletes a profile with all its versions. @throws LongshoreError */
  delete(name: string, options?: Call): Promise<void>;
}

const PAGE = 100;

export function profileHelpers(api: Operations): ProfileHelpers {
  return {
    list: async ({ fileType, ...call } = {}) => {
      const found: Listed[] = [];
      for (;;) {
        const page = { offset: found.length, limit: PAGE, ...(fileType === undefined ? {} : { fileType }) };
        const { data, count } = await api.listImportProfiles(page, call);
        found.push(...data);
        if (data.length === 0 || found.length >= count) return found;
      }
    },
    find: async (name, { version, ...call } = {}) => {
      const input = { name, ...(version === undefined ? {} : { version }) };
      return unlessUnknown(() => api.getImportProfile(input, call));
    },
    save: async (name, profile, call = {}) =>
      (await unlessUnknown(() => api.updateImportProfile({ name, body: { profile } }, call))) ??
      api.createImportProfile({ body: { name, profile } }, call),
    delete: async (name, call = {}) => {
      await api.deleteImportProfile({ name }, call);
    },
  };
}

/** @returns undefined for a profile that does not exist */
async function unlessUnknown<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof LongshoreError && error.status === 404) return undefined;
    throw error;
  }
}
