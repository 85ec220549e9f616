/** What the API is asked for so that a change waits for the approval of a person. */

/** The status of a job whose dry run has ended, and which waits for somebody who may approve it. */
export const AWAITING_APPROVAL: string = 'AWAITING_APPROVAL';

/**
 * What is sent, with the demand that its job stops after its dry run. A system that does not know it refuses the whole
 * request, as it does with all that is unknown to it.
 * @param demand as the place wants it: options of files hold a boolean, a query holds a text
 */
export function forApproval<Given extends object>(given: Given, demand: true | 'true'): Given {
  // Unchecked, because the types of the client have the member only when they are generated from a system that has it.
  return { ...given, requireApproval: demand };
}
