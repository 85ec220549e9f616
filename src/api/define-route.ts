/** Declares an endpoint, with the schemas that check its requests and from which its documentation is generated. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { z } from 'zod';
import type { IdempotentRequest } from '../domain/access/accept-once.js';
import type { AuditAction } from '../domain/access/audit.js';
import type { Principal } from '../domain/access/principals.js';
import type { AccountScope } from '../domain/access/scopes.js';
import type { SiteContext } from '../domain/access/site-context.js';
import type { AuditTrail } from './audit-trail.js';
import type { ApiServices } from './services.js';

/** The shape of error bodies in one area of the API. */
export type ErrorFamily = 'catalog' | 'files' | 'oms' | 'notification' | 'oauth' | 'operator';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call: a token with the scope or any token of an account, an operator, the receiver of a webhook by its link
 * (which reaches no other route), anyone, or the holder of a signed URL
 * (checked by `handle`). The cookie of a session is as good as its token.
 */
export type RouteAuth =
  | {
      readonly scope: AccountScope | 'any' | 'operator' | 'receiver';
      /** Tokens with `catalog:propose` may call it too: `handle` refuses what they may not ask for. */
      readonly orProposing?: true;
    }
  | { readonly public: true }
  | { readonly signedUrl: true };

/**
 * How a request names its data set: by x-site-context (true), by tenant-key with an optional x-site-context for stage
 * and channel ('tenant-key'), or not at all (false).
 */
export type DataSetSource = boolean | 'tenant-key';

/**
 * A body that an account can send as it is: to an empty account in the order of the catalog's set-up, with
 * `EXAMPLE_ID` replaced by an id of its own.
 */
interface WithExample {
  readonly example?: unknown;
}

/** Stands for an id in examples. */
export const EXAMPLE_ID = '0123456789abcdef01234567';

/** A small JSON body, checked by its schema before `handle` runs. `required` defaults to true. */
interface JsonBody extends WithExample {
  readonly schema: z.ZodType;
  readonly required?: boolean;
  /** Default 1 MiB. */
  readonly maxBytes?: number;
  /**
   * A member of the body, or of each element if it is an array, that the schema and `handle` get as OpaqueJson: its
   * text, byte for byte.
   */
  readonly opaque?: string;
}

/** A large JSON array, passed to `handle` as bytes: the job that it becomes checks the elements one by one. */
interface BulkBody extends WithExample {
  readonly raw: 'bulk';
  /** For the documentation only. */
  readonly elementSchema: z.ZodType;
  readonly maxBytes: number;
  readonly maxElements: number;
}

/** A form (application/x-www-form-urlencoded), checked by its schema. */
interface FormBody extends WithExample {
  readonly form: z.ZodType;
}

/** Bytes that `handle` reads from `request.koa.req` itself, after `inviteBody`. */
interface StreamBody {
  readonly raw: 'stream';
}

export type BodySpec = JsonBody | BulkBody | FormBody | StreamBody;

/** The type of `request.body` for a body specification. */
type BodyOf<B> = B extends { readonly schema: infer S extends z.ZodType }
  ? B extends { readonly required: false }
    ? z.output<S> | undefined
    : z.output<S>
  : B extends { readonly form: infer S extends z.ZodType }
    ? z.output<S>
    : B extends { readonly raw: 'bulk' }
      ? Buffer
      : undefined;

export interface ApiRequest<P = unknown, Q = unknown, B = unknown, S extends DataSetSource = DataSetSource> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly site: S extends false ? undefined : SiteContext;
  readonly principal: Principal;
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  /** How long the client waits for a result (`Prefer: wait`), in milliseconds, at most 25,000; 0: it does not wait. */
  readonly preferWaitMs: number;
  /** The request's Idempotency-Key, on routes that accept one; null when it has none. */
  readonly idempotency: IdempotentRequest | null;
  /** Records the act that the route declares as `audit`. */
  readonly audit: AuditTrail;
  /** Ends the request's turn early, for what is left is only to wait: others may be worked on meanwhile. */
  readonly endTurn: () => void;
  /**
   * Waits for another turn after `endTurn`. @throws DomainError busy when too many requests of the account wait
   * @param ofAccount the account to which a request by a signed URL turns out to belong
   */
  readonly takeTurn: (ofAccount?: string) => Promise<void>;
  /** For raw bodies and downloads only. */
  readonly koa: Context;
}

export interface ApiResponse {
  readonly status: number;
  /** Sent as JSON; a Buffer as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Sent instead of `body`. */
  readonly stream?: Readable;
}

export interface ResponseSpec {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Default: application/json if there is a schema. */
  readonly contentType?: string;
}

interface RouteDefinition<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends BodySpec | undefined,
  S extends DataSetSource,
> {
  readonly method: Method;
  /** A path in the syntax of @koa/router: `/jobs/:id`. */
  readonly path: string;
  /** The name of the operation, as a program would call it: `getJob`. Clients are generated with it. */
  readonly operationId: string;
  readonly family: ErrorFamily;
  readonly tag: string;
  readonly summary: string;
  /** Left out of the API description. */
  readonly undocumented?: boolean;
  readonly description?: string;
  readonly auth: RouteAuth;
  /** Which header names the data set that `request.site` contains. */
  readonly siteContext: S;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Whatever is sent as a body is not read: who calls it cannot choose what they send. Default: a body with fields is refused. */
  readonly ignoresBody?: boolean;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Status → when the route answers this error, besides those that follow from its declaration; in its family's shape. */
  readonly refusals?: Readonly<Record<number, string>>;
  /** Whether the route accepts an Idempotency-Key. */
  readonly idempotent?: boolean;
  /** The act that a request of this route is in the audit log. Refused requests are recorded, too. */
  readonly audit?: AuditAction;
  /** Whether the route supports `Prefer: wait=N` (for the documentation). */
  readonly prefersWait?: boolean;
  handle(
    request: ApiRequest<z.output<P>, z.output<Q>, BodyOf<B>, S>,
    services: ApiServices,
  ): Promise<ApiResponse> | ApiResponse;
}

/** A route as the registry, the router and the documentation see it. */
export interface Route extends RouteDefinition<z.ZodType, z.ZodType, BodySpec | undefined, DataSetSource> {
  handle(request: ApiRequest, services: ApiServices): Promise<ApiResponse> | ApiResponse;
}

/** Declares an endpoint; the types of `request` follow from its schemas. */
export function defineRoute<
  P extends z.ZodType = z.ZodType<Record<string, never>>,
  Q extends z.ZodType = z.ZodType<Record<string, never>>,
  const B extends BodySpec | undefined = undefined,
  const S extends DataSetSource = DataSetSource,
>(definition: RouteDefinition<P, Q, B, S>): Route {
  // The router parses each request with these schemas before it calls `handle`, so the narrower type is correct.
  return definition as unknown as Route;
}
