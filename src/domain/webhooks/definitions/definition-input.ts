/** What a client says of a definition, checked. */

export const REQUEST_TYPES = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'] as const;
type RequestType = (typeof REQUEST_TYPES)[number];

export const PROTOCOLS = ['HTTP', 'HTTPS'] as const;
type Protocol = (typeof PROTOCOLS)[number];

export const DEFAULT_FORMAT = 'application/json';

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
  /** In the clear; null: the target asks for none. */
  readonly targetApiKey: string | null;
  /** Deliveries a second; null: no limit of its own. */
  readonly rateLimit: number | null;
}

export interface NewDefinition extends DefinitionFields {
  readonly requestType: RequestType;
}

/** What is left out stays as it is. */
export type DefinitionChange = { readonly [Field in keyof DefinitionFields]?: DefinitionFields[Field] | undefined };
