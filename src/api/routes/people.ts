/** The endpoints of the people of an account: their roles, and the links by which they log in. */
import { z } from 'zod';
import { changePerson, createPerson, inviteAgain, removePerson } from '../../domain/access/invite-people.js';
import { loginLink } from '../../domain/access/login-codes.js';
import { findPerson, listPeople, type Person } from '../../domain/access/people.js';
import { ROLE_NAMES } from '../../domain/access/roles.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { requireAccountPrincipal } from '../require-account-principal.js';
import { invitedSchema, personSchema, presentPerson } from './people/present-person.js';

const name = z.string().min(1).max(255);
const role = z.enum(ROLE_NAMES).meta({
  description:
    'viewer: all scopes that read. editor: these, `catalog:write`, `webhooks:write` and `feeds:write`. approver: those that read, and `catalog:approve`. owner: all scopes',
});

const common = {
  family: 'catalog',
  tag: 'Access',
  auth: { scope: 'access:admin' },
  siteContext: false,
} as const;
const one = { ...common, path: '/api/v2/access/people/:personId', params: z.object({ personId: z.string().max(64) }) };
const REFUSED = {
  403: 'The scope `access:admin` is missing; or the person, or the role, has scopes that the caller does not have',
};
const OF_PROVIDER = { 409: 'The person logs in by the identity provider, which says the name and the role' };
const OWN = { 409: 'It is the caller: another owner has to do it; or the person logs in by the identity provider' };

const listPeopleRoute = defineRoute({
  ...common,
  method: 'GET',
  path: '/api/v2/access/people',
  operationId: 'listPeople',
  summary: 'List the people of the account',
  description: 'Each person is a token with a name and a role, which logs in by links and is shown to nobody.',
  responses: { 200: { description: 'The people, by name', schema: z.object({ data: z.array(personSchema) }) } },
  async handle({ principal }, { db }) {
    const people = await listPeople(db, requireAccountPrincipal(principal).accountId);
    return { status: 200, body: { data: people.map(presentPerson) } };
  },
});

const readPersonRoute = defineRoute({
  ...one,
  method: 'GET',
  operationId: 'getPerson',
  summary: 'Read a person',
  description: 'The name and the role of a person, and what became of the invitation.',
  responses: { 200: { description: 'The person', schema: personSchema } },
  async handle({ params, principal }, { db }) {
    const { accountId } = requireAccountPrincipal(principal);
    return { status: 200, body: presentPerson(await findPerson(db, accountId, params.personId)) };
  },
});

const createPersonRoute = defineRoute({
  ...common,
  method: 'POST',
  path: '/api/v2/access/people',
  operationId: 'createPerson',
  summary: 'Invite a person',
  description: 'Makes a person with a role, and answers a link that logs in once: give it to the person.',
  body: { schema: z.strictObject({ name, role }), example: { name: 'Merchandiser', role: 'editor' } },
  refusals: { ...REFUSED, 422: 'The account has as many people as it may have' },
  responses: { 200: { description: 'The person, and the link', schema: invitedSchema } },
  audit: 'PERSON_INVITED',
  async handle({ body, principal, audit }, { db, publicUrl }) {
    const caller = requireAccountPrincipal(principal);
    const { person, code } = await audit.change(db, (trx) => createPerson(trx, caller, body), targetOfInvited);
    return { status: 200, body: { ...presentPerson(person), link: loginLink(publicUrl(), code) } };
  },
});

const invitePersonRoute = defineRoute({
  ...one,
  method: 'POST',
  path: '/api/v2/access/people/:personId/actions/invite',
  operationId: 'invitePerson',
  summary: 'Make a new link for a person',
  description: 'For a person whose link has expired, or who is logged out. The link before it is worthless then.',
  refusals: { ...REFUSED, ...OF_PROVIDER },
  responses: { 200: { description: 'The person, and the link', schema: invitedSchema } },
  audit: 'PERSON_INVITED',
  async handle({ params, principal, audit }, { db, publicUrl }) {
    const caller = requireAccountPrincipal(principal);
    const invite = audit.change(db, (trx) => inviteAgain(trx, caller, params.personId), targetOfInvited);
    const { person, code } = await invite;
    return { status: 200, body: { ...presentPerson(person), link: loginLink(publicUrl(), code) } };
  },
});

const updatePersonRoute = defineRoute({
  ...one,
  method: 'PATCH',
  operationId: 'updatePerson',
  summary: 'Change the name or the role of a person',
  description:
    'What is left out stays as it is. Sessions of the person have the scopes of the new role within seconds.',
  body: { schema: z.strictObject({ name: name.optional(), role: role.optional() }), example: { role: 'viewer' } },
  refusals: { ...REFUSED, ...OWN },
  responses: { 200: { description: 'The person', schema: personSchema } },
  audit: 'PERSON_CHANGED',
  async handle({ params, body, principal, audit }, { db }) {
    const caller = requireAccountPrincipal(principal);
    const change = audit.change(db, (trx) => changePerson(trx, caller, params.personId, body), targetOf);
    return { status: 200, body: presentPerson(await change) };
  },
});

const deletePersonRoute = defineRoute({
  ...one,
  method: 'DELETE',
  operationId: 'deletePerson',
  summary: 'Remove a person',
  description: 'Revokes the access of a person: all sessions and links end within seconds.',
  refusals: { ...REFUSED, ...OWN },
  responses: { 204: { description: 'The person has no access any more' } },
  audit: 'PERSON_REMOVED',
  async handle({ params: { personId: id }, principal, audit }, { db }) {
    const caller = requireAccountPrincipal(principal);
    await audit.change(
      db,
      (trx) => removePerson(trx, caller, id),
      () => targetOf({ id }),
    );
    return { status: 204 };
  },
});

const targetOf = ({ id }: Pick<Person, 'id'>) => `token/${id}`;
const targetOfInvited = ({ person }: { readonly person: Person }) => targetOf(person);

export const peopleRoutes: readonly Route[] = [
  listPeopleRoute,
  createPersonRoute,
  readPersonRoute,
  updatePersonRoute,
  deletePersonRoute,
  invitePersonRoute,
];
