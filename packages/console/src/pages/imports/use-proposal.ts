/** What is in a held file, and how it would be imported: the answer comes when the system has read the file. */
import type { AnswerOf, CallOptions, schemas } from '@longshore/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useApi, usePresent } from '../../session/session-context.js';
import type { Targets } from './mapping.js';

/** The API holds a request back for so long, instead of being asked again and again. */
const WAIT_SECONDS = 20;

interface Rows {
  readonly sheet?: string;
  readonly rowPath?: string;
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly headerRow?: string;
  readonly headerRows?: string;
  readonly profile?: string;
}

export interface Found {
  readonly name: string;
  readonly inspection: schemas.FileInspection;
  readonly proposal: schemas.ImportProposal;
}

/** @param targets what was chosen for columns of the file: the rest of the proposal follows from it */
export function useProposal(fileId: string, search: Rows, targets: Targets) {
  const api = useApi();
  const { stage } = usePresent();
  const { profile, sheet, rowPath, encoding, delimiter, headerRow, headerRows } = search;
  const rows = {
    ...(sheet === undefined ? {} : { sheet }),
    ...(rowPath === undefined ? {} : { rowPath }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(headerRow === undefined ? {} : { headerRow: Number(headerRow) }),
    ...(headerRows === undefined ? {} : { headerRows: Number(headerRows) }),
  };
  const columns = Object.keys(targets).length === 0 ? undefined : JSON.stringify(targets);
  return useQuery({
    queryKey: ['proposal', stage.name, fileId, rows, profile, columns],
    // What was there stays until the next one is.
    placeholderData: keepPreviousData,
    // It does not change while one answers: what was answered would be about something else.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }): Promise<Found> => {
      const call = { signal, wait: WAIT_SECONDS };
      const { name } = await api.getFile({ id: fileId }, { signal });
      const inspection = await whenRead('inspection', () => api.inspectFile({ id: fileId, ...rows }, call));
      const input = {
        ...{ id: fileId, ...rows },
        ...(profile === undefined ? {} : { profile }),
        ...(columns === undefined ? {} : { columns }),
      };
      const proposal = await whenRead('proposal', () => api.proposeImport(input, call));
      return { name, inspection: inspection.inspection, proposal: proposal.proposal };
    },
  });
}

type Running = AnswerOf<'inspectFile'> extends infer A ? Extract<A, { jobId: string }> : never;

async function whenRead<A extends object, M extends string>(
  member: M,
  ask: (options?: CallOptions) => Promise<A | Running>,
): Promise<Extract<A, Readonly<Record<M, unknown>>>> {
  for (;;) {
    const answer = await ask();
    if (member in answer) return answer as Extract<A, Readonly<Record<M, unknown>>>;
  }
}
