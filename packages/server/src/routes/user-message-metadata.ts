import { z } from '@hono/zod-openapi'
import { MillraceError, type UserMessageMetadata } from '@millrace/core'
import type { Settings } from '../options.ts'

const Metadata = z
  .record(z.string(), z.json())
  .refine((metadata) => !Object.hasOwn(metadata, 'client'), "the key 'client' is the client's")
  .optional()

/**
 * The application's metadata of the user's message in this request. Checked before a run starts.
 *
 * @throws MillraceError `CONFIG_INVALID`, or what the application's function throws
 */
export async function userMessageMetadataOf(
  request: Request,
  { userMessageMetadata }: Settings,
): Promise<UserMessageMetadata | undefined> {
  const given: unknown = await userMessageMetadata?.(request)
  try {
    // Throws for cycles, which a schema follows without an end.
    JSON.stringify(given)
    return Metadata.parse(given)
  } catch (cause) {
    throw new MillraceError(
      'CONFIG_INVALID',
      "userMessageMetadata() returned no JSON object, or one with the key 'client'. Return an object of JSON values, or undefined.",
      { cause },
    )
  }
}
