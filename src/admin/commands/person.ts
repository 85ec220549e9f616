/** `npm run admin -- person …`: people who log in by the identity provider. */
import { listRemoved, readmitPerson } from '../../domain/access/provider-people.js';
import { type Command, requiredText } from './command.js';

export const personCommands: readonly Command[] = [
  {
    name: 'person removed',
    summary:
      'Show the people of an account who were removed, and are refused although the identity provider knows them',
    options: { account: { description: 'the account', required: true } },
    run: (db, options) => listRemoved(db, requiredText(options, 'account')),
  },
  {
    name: 'person readmit',
    summary: 'Let somebody who was removed log in by the identity provider again',
    argument: '<person id>',
    options: {},
    audit: {
      action: 'PERSON_READMITTED',
      about: ({ id, accountId }) => ({ accountId: String(accountId), target: `token/${id}` }),
    },
    run: (db, _options, id) => db.transaction((trx) => readmitPerson(trx, id)),
  },
];
