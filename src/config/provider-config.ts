/** The identity provider by which people may log in: the variables OIDC_…. */
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

const role = z.enum(['viewer', 'editor', 'approver', 'owner']);
const grant = z.strictObject({
  account: z
    .string()
    .regex(/^[0-9a-f]{24}$/, 'an account is named by its id: 24 characters, see npm run admin -- account list'),
  role,
});
const rolesSchema = z.record(
  z.string().min(1),
  z.union([grant.transform((one) => [one]), z.array(grant).min(1)], {
    error: 'expected {"account": "<id>", "role": "viewer, editor, approver or owner"}, or a list of these',
  }),
  {
    error: ({ code }) =>
      code === 'invalid_type' ? 'it is no object whose members are groups' : 'a group has an empty name',
  },
);

export interface ProviderConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** As people know it: on the button that logs in. */
  readonly name: string;
  /** Separated by spaces. */
  readonly scopes: string;
  /** The claim that names the groups of a user. */
  readonly groupsClaim: string;
  /** Group → the roles of its members, by account. */
  readonly roles: ReadonlyMap<string, readonly z.output<typeof grant>[]>;
}

/** The variables, as the environment is parsed. */
interface ProviderVariables
  extends Readonly<
    Partial<Record<Exclude<(typeof NEEDED | typeof OTHERS)[number], 'OIDC_ROLES'>, string | undefined>>
  > {
  readonly OIDC_ROLES?: ProviderConfig['roles'] | undefined;
}

const NEEDED = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ROLES'] as const;
const OTHERS = ['OIDC_NAME', 'OIDC_SCOPES', 'OIDC_GROUPS_CLAIM'] as const;

/** Which variables are missing, if any of them is set. */
export function missingOfProvider(env: ProviderVariables): string[] {
  if ([...NEEDED, ...OTHERS].every((name) => env[name] === undefined)) return [];
  return NEEDED.filter((name) => env[name] === undefined).map(
    (name) => `${name}: is not set; a login by an identity provider needs ${NEEDED.join(', ')}`,
  );
}

/** @returns undefined: people log in without one */
export function providerOf(env: ProviderVariables): ProviderConfig | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_ROLES: roles } = env;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined || roles === undefined)
    return undefined;
  return {
    ...{ issuer, clientId, clientSecret, roles },
    name: env.OIDC_NAME ?? new URL(issuer).hostname,
    scopes: env.OIDC_SCOPES ?? 'openid profile email',
    groupsClaim: env.OIDC_GROUPS_CLAIM ?? 'groups',
  };
}

/** By HTTP only on this machine: what the provider says decides who may do what. @throws Error */
export function parseIssuer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url !== undefined && isSafe && url.search === '' && url.hash === '' && url.username === '') return text;
  throw new Error(
    `expected the address of the provider as its documentation names it, such as https://login.example.com/realms/shop (by http only on this machine), got "${text}"`,
  );
}

/** @throws Error that names the group whose entry is wrong */
export function parseRoles(text: string): ProviderConfig['roles'] {
  const what = 'expected JSON such as {"shop-editors": {"account": "<account id>", "role": "editor"}}';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${what}; ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = rolesSchema.safeParse(value);
  if (parsed.success) return new Map(Object.entries(parsed.data));
  const [issue] = parsed.error.issues;
  const where =
    issue === undefined || issue.path.length === 0 ? '' : ` at ${JSON.stringify(issue.path.map(String).join('.'))}`;
  throw new Error(`${what}; wrong${where}: ${issue?.message}`);
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}
