/** The saved views of a stage: one's own, and those that others share. */
import type { LongshoreClient, schemas } from '@longshore/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi, usePresent } from '../../session/session-context.js';

export type View = schemas.SavedView;
export type Content = View['content'];

const PAGE = 100;

function viewsKey(stage: string, kind: View['kind']) {
  return ['views', stage, kind] as const;
}

export function useViews(kind: View['kind']) {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({
    queryKey: viewsKey(stage.name, kind),
    queryFn: ({ signal }) => loadViews(api, kind, signal),
  });
}

async function loadViews(api: LongshoreClient, kind: View['kind'], signal: AbortSignal): Promise<View[]> {
  const found: View[] = [];
  for (;;) {
    const page = await api.listViews({ kind, offset: found.length, limit: PAGE }, { signal });
    found.push(...page.data);
    if (page.data.length === 0 || found.length >= page.count) return found;
  }
}

/** Asks for the views of this kind again. */
export function useRefreshViews(kind: View['kind']): () => Promise<void> {
  const queries = useQueryClient();
  const { stage } = usePresent();
  return () => queries.invalidateQueries({ queryKey: viewsKey(stage.name, kind) });
}

/** What a change of a view sends of it, where nothing else is said. */
export function bodyOf({ name, content, shared, version }: View) {
  return { name, content, shared, version };
}
