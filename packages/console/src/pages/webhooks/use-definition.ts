/** One definition with the health of its endpoint, and what changes it. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi, usePresent } from '../../session/session-context.js';

/** The health changes while one looks. */
const AGAIN_MS = 10_000;

function definitionKey(stage: string, id: string) {
  return ['webhook', stage, id] as const;
}

export function useDefinition(webhookId: string) {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({
    queryKey: definitionKey(stage.name, webhookId),
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => api.getWebhook({ webhookId }, { signal }),
  });
}

/** Asks anew for all that is shown of webhooks. */
export function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await Promise.all(['webhook', 'webhooks', 'events'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
  };
}
