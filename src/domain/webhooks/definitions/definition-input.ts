/** The fields of a definition that a client sets, after they were checked. */
import { DomainError } from '../../kernel/errors.js';

export const REQUEST_TYPES = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'] as const;
type RequestType = (typeof REQUEST_TYPES)[number];

export const PROTOCOLS = ['HTTP', 'HTTPS'] as const;
type Protocol = (typeof PROTOCOLS)[number];

/**
 * HTTPS promises that nothing is sent in plain text. HTTP, the only value that many clients know, promises nothing: a
 * target that begins with https:// is called by TLS whatever the protocol says.
 * @throws DomainError invalid
 */
export function checkProtocol({ protocol, target }: { readonly protocol: string; readonly target: string }): void {
  if (protocol !== 'HTTPS' || new URL(target).protocol === 'https:') return;
  const message = 'the protocol is HTTPS, but the target begins with http://: correct one of the two';
  const problems = [{ path: 'protocol', code: 'FIELD_INVALID', message }];
  throw new DomainError('invalid', 'REQUEST_INVALID', `the body is not as expected: protocol: ${message}`, {
    problems,
  });
}

export const DEFAULT_FORMAT = 'application/json';

/** How many hours a disabled definition goes on collecting events: as long as a failed delivery is repeated. */
export const DEFAULT_COLLECT_HOURS = 72;
export const MAX_COLLECT_HOURS = 168;

/** none: deliveries have no order. key: those of one key are attempted in the order in which events were emitted. */
export const ORDERINGS = ['none', 'key'] as const;
type Ordering = (typeof ORDERINGS)[number];

interface DefinitionFields {
  readonly target: string;
  readonly protocol: Protocol;
  /** OMS, CATALOG, or a name that ends in _SERVICE. */
  readonly source: string;
  /** Distinct names; "*" is every event of the source. */
  readonly events: readonly string[];
  readonly apiVersion: string;
  readonly format: string;
  readonly callbackUrl: string | null;
  /** In plain text; null: the target needs none. */
  readonly targetApiKey: string | null;
  /** Headers of requests to the target, by their names in lower case, in plain text. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Deliveries per second; null: no limit. */
  readonly rateLimit: number | null;
  readonly ordering?: Ordering | undefined;
  /** How many hours the definition goes on collecting events after it was disabled; 0: it collects none. */
  readonly collectHours?: number | undefined;
  /** A JSON text without a filterProblem; null: the definition gets every event to which it subscribes. */
  readonly filter?: string | null | undefined;
}

export interface NewDefinition extends DefinitionFields {
  readonly requestType: RequestType;
  /** `whsec_…`; missing: one is created. */
  readonly signingSecret?: string | undefined;
}

/** Fields that are missing stay unchanged. */
export type DefinitionChange = { readonly [Field in keyof DefinitionFields]?: DefinitionFields[Field] | undefined };
