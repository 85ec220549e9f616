/** The fields of a definition that a client sets, after they were checked. */

export const REQUEST_TYPES = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'] as const;
type RequestType = (typeof REQUEST_TYPES)[number];

export const PROTOCOLS = ['HTTP', 'HTTPS'] as const;
type Protocol = (typeof PROTOCOLS)[number];

export const DEFAULT_FORMAT = 'application/json';

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
