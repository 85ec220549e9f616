/** What a profile, saved or not, makes of the first rows of a file; and which files there are to try it on. */
import type { AnswerOf, Job, schemas } from '@longshore/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApi, usePresent } from '../../session/session-context.js';
import type { Document } from './draft.js';

/** Whoever types is not asked after each letter. */
const TYPING_MS = 400;
const WAIT_SECONDS = 20;
const PAGE = 100;
const MOST_OFFERED = 25;

const TYPES: Readonly<Record<Document['fileType'], readonly string[]>> = {
  ITEM_IMPORT: ['ITEM_IMPORT', 'PRODUCT_IMPORT', 'ITEM_VARIANT_IMPORT'],
  BUNDLE_IMPORT: ['BUNDLE_IMPORT'],
  ATTRIBUTE_IMPORT: ['ATTRIBUTE_IMPORT'],
  CATEGORY_IMPORT: ['CATEGORY_IMPORT'],
};

export interface TriedFile {
  readonly id: string;
  readonly name: string;
  readonly at: string | null;
  /** Whether it was imported by the profile. */
  readonly isOfProfile: boolean;
}

/** The last files of this kind, those first that were imported by the profile. */
export function useFiles(name: string, fileType: Document['fileType']) {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({
    queryKey: ['profile-files', stage.name, name, fileType],
    queryFn: async ({ signal }): Promise<readonly TriedFile[]> => {
      const { data } = await api.listJobs({ type: TYPES[fileType], limit: PAGE }, { signal });
      const files = new Map<string, TriedFile>();
      for (const job of data) {
        const file = fileOf(job, name);
        if (file !== undefined && !files.has(file.id)) files.set(file.id, file);
      }
      const all = [...files.values()];
      return [...all.filter((one) => one.isOfProfile), ...all.filter((one) => !one.isOfProfile)].slice(0, MOST_OFFERED);
    },
  });
}

function fileOf({ inputFileId, inputFileName, createdAt, profile, status }: Job, name: string): TriedFile | undefined {
  if (inputFileId === null || inputFileName === null || status === 'AWAITING_UPLOAD' || status === 'EXPIRED')
    return undefined;
  const isOfProfile = profile?.name?.toLowerCase() === name.toLowerCase();
  return { id: inputFileId, name: inputFileName, at: createdAt, isOfProfile };
}

/** The columns of the file with their samples. */
export function useInspection(fileId: string | undefined, { format = {} }: Document) {
  const api = useApi();
  const { stage } = usePresent();
  const { sheet, rowPath } = format;
  const rows = { ...(sheet === undefined ? {} : { sheet }), ...(rowPath === undefined ? {} : { rowPath }) };
  return useQuery({
    queryKey: ['profile-inspection', stage.name, fileId, rows],
    enabled: fileId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: ({ signal }) =>
      whenRead('inspection', () =>
        api.inspectFile({ id: fileId ?? '', ...rows }, { signal, wait: WAIT_SECONDS }),
      ) as Promise<{ readonly inspection: schemas.FileInspection }>,
  });
}

/** @param document asked for again when it changes, and nobody has typed for a moment */
export function useTrial(fileId: string | undefined, document: Document) {
  const api = useApi();
  const { stage } = usePresent();
  const settled = useSettled(JSON.stringify(document));
  return useQuery({
    queryKey: ['profile-trial', stage.name, fileId, settled],
    enabled: fileId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const asked = { id: fileId ?? '', body: { profile: JSON.parse(settled) as Document } };
      return whenRead('trial', () => api.tryImportProfile(asked, { signal, wait: WAIT_SECONDS })) as Promise<{
        readonly trial: schemas.ProfileTrial;
      }>;
    },
  });
}

type Asked = AnswerOf<'tryImportProfile'> | AnswerOf<'inspectFile'>;

/** The API answers before the file is read when that takes longer than a request may wait. */
async function whenRead(member: string, ask: () => Promise<Asked>): Promise<Asked> {
  for (;;) {
    const answer = await ask();
    if (member in answer) return answer;
  }
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
