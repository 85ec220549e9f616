/** docs/use/event-types.md as the registry of event types describes it. */
import { z } from 'zod';
import type { EventType } from '../../../../../src/domain/webhooks/event-types/event-type.js';
import { aliasesOf } from '../../../../../src/domain/webhooks/events/event-aliases.js';
import { EVENT_TYPES } from '../../../../../src/domain/webhooks/model/event-types.js';

const HEAD = `# Events and their payloads

This page is written from the registry of event types (\`src/domain/webhooks/model/event-types.ts\`). A payload arrives as
\`payload\` of the request that a webhook definition receives. Clients may emit events of their own under other names.
`;

const SOURCES = {
  CATALOG: '`CATALOG`. Created only where a definition subscribes to it.',
  OMS: '`OMS`.',
  OF_DEFINITION: 'that of the webhook definition which the event is about.',
} as const;

/** The whole page. */
export function eventTypesPage(): string {
  const families = new Map<z.ZodType, EventType[]>();
  for (const type of EVENT_TYPES) families.set(type.payload, [...(families.get(type.payload) ?? []), type]);
  return [HEAD, ...[...families.values()].map(family)].join('\n');
}

/** Types with the same payload. */
function family(types: readonly EventType[]): string {
  const [first] = types;
  if (first === undefined) return '';
  const names = types.map(({ name, description, audience }) => {
    const aliases = aliasesOf(name);
    const also = aliases.length === 0 ? '' : ` (also ${aliases.map((alias) => `\`${alias}\``).join(', ')})`;
    const owner = audience === 'owner' ? '; it cannot be subscribed to' : '';
    return `- \`${name}\`${also}: ${description}${owner}`;
  });
  return `## ${title(types)}

Source: ${SOURCES[first.source]}

${names.join('\n')}

${fields(first.payload)}

\`\`\`json
${JSON.stringify(first.example, null, 2)}
\`\`\`
`;
}

function title(types: readonly EventType[]): string {
  const names = types.map(({ name }) => `\`${name}\``);
  if (names.length <= 3) return names.join(', ');
  return `${names.slice(0, 2).join(', ')} and ${names.length - 2} others`;
}

interface Described {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Described[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
}

function fields(payload: z.ZodType): string {
  const { properties } = z.toJSONSchema(payload, { unrepresentable: 'any' });
  const rows = Object.entries(properties ?? {}).map(([name, property]) => {
    const described = property as Described;
    return `| \`${name}\` | ${typeOf(described)} | ${described.description ?? ''} |`;
  });
  return ['| Field | Type | |', '| --- | --- | --- |', ...rows].join('\n');
}

function typeOf({ type, anyOf, enum: values }: Described): string {
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ');
  return type === undefined ? 'any JSON value' : [type].flat().join(' or ');
}
