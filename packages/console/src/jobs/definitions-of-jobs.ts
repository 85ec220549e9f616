/** The attributes of a stage are kept by pages for a while: jobs make and take away some. */
import type { QueryClient } from '@tanstack/react-query';

export function definitionsKey(stage: string) {
  return ['definitions', stage] as const;
}

/** A job has ended: what is known of attributes may be no longer so. */
export function forgetDefinitions(queries: QueryClient, stage: string): Promise<void> {
  return queries.invalidateQueries({ queryKey: definitionsKey(stage) });
}
