/** The attributes of a stage, in their order, and the roles that some of them have. */
import type { Attribute, LongshoreClient, schemas } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { definitionsKey } from '../../jobs/definitions-of-jobs.js';
import { useApi, usePresent } from '../../session/session-context.js';

const PAGE = 100;
const KEPT_MS = 60_000;

export interface Definitions {
  readonly attributes: readonly Attribute[];
  readonly byName: ReadonlyMap<string, Attribute>;
  /** The names of the attributes that play a part. */
  readonly roles: Readonly<Partial<Record<schemas.AttributeMapping['mapping'], string>>>;
}

export function useDefinitions() {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({
    queryKey: definitionsKey(stage.name),
    staleTime: KEPT_MS,
    queryFn: ({ signal }) => loadDefinitions(api, signal),
  });
}

async function loadDefinitions(api: LongshoreClient, signal: AbortSignal): Promise<Definitions> {
  const [mapping, attributes] = await Promise.all([
    api.getAttributeMapping({ limit: PAGE }, { signal }),
    loadAttributes(api, signal),
  ]);
  const roles = Object.fromEntries(mapping.data.map(({ mapping: role, attribute }) => [role, attribute]));
  return { attributes, byName: new Map(attributes.map((attribute) => [attribute.name, attribute])), roles };
}

async function loadAttributes(api: LongshoreClient, signal: AbortSignal): Promise<Attribute[]> {
  const attributes: Attribute[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await api.listAttributes({ offset, limit: PAGE }, { signal });
    attributes.push(...page.data);
    if (offset + PAGE >= page.count) return attributes;
  }
}
