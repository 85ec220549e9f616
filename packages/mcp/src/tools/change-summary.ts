/** What a job changed or would change, in numbers. */
import type { LongshoreClient, schemas } from '@longshore/client';

const MOST_NAMES = 20;
const MOST_NUMBERS = 3;

/** @throws LongshoreError */
export async function changeSummary(
  api: LongshoreClient,
  id: string,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const { definitions, operations, attributes, fields } = await api.summarizeJobChanges({ id }, { signal });
  const more = attributes.length - MOST_NAMES;
  return {
    ...(definitions.length === 0 ? {} : { definitions }),
    operations,
    attributes: attributes.slice(0, MOST_NAMES).map(shown),
    ...(more > 0 ? { moreAttributes: more } : {}),
    fields: fields.map(shown),
  };
}

function shown({ numbers, ...line }: schemas.ChangeSummary['attributes'][number]) {
  if (numbers === undefined) return line;
  return { ...line, numbers: { ...numbers, largest: numbers.largest.slice(0, MOST_NUMBERS) } };
}
