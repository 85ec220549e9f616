/** The duplicate rule: the database keeps it, for two requests at once as well. */
import { DomainError } from '../../kernel/errors.js';

const DUPLICATE_RULE = 'webhook_definition_target_uq';
const UNIQUE_VIOLATION = '23505';

/** Runs a write of a definition. @throws DomainError conflict when it would be identical to another */
export async function refusingDuplicates<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!breaksDuplicateRule(error)) throw error;
    throw new DomainError(
      'conflict',
      'WEBHOOK_EXISTS',
      'Webhook Definition with target, tenantId, protocol, source, apiVersion already exists!',
    );
  }
}

function breaksDuplicateRule(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('nativeError' in error) return breaksDuplicateRule(error.nativeError);
  return (
    'code' in error && error.code === UNIQUE_VIOLATION && 'constraint' in error && error.constraint === DUPLICATE_RULE
  );
}
