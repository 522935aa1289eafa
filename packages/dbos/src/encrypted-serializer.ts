import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { DBOSSerializer } from '@dbos-inc/dbos-sdk'
import { MillraceError, type OptionNames, requireOptions } from '@millrace/core'
import superjson from 'superjson'

export interface EncryptedSerializerOptions {
  /**
   * 32 bytes, or their base64: `openssl rand -base64 32`. The same in every process. Keep it outside of the
   * database and its backups.
   */
  key: string | Uint8Array
  /** Earlier keys, which can still decrypt stored values. Default: none. */
  formerKeys?: readonly (string | Uint8Array)[]
}

const ENCRYPTED_SERIALIZER_OPTIONS: OptionNames<EncryptedSerializerOptions> = {
  key: 'required',
  formerKeys: 'optional',
}

/**
 * A serializer for the configuration of DBOS that encrypts inputs, outputs, streams, events, messages and
 * errors of workflows with AES-256-GCM (NIST SP 800-38D), each with its own nonce. Ids, names, times and
 * attributes are not encrypted, because DBOS queries them. Values that were stored without encryption can
 * still be read.
 *
 * @throws MillraceError `CONFIG_INVALID` if a key is not 32 bytes
 *
 * @example
 * DBOS.setConfig({ name: 'shop', systemDatabaseUrl, serializer: encryptedSerializer({ key:
 * process.env.DBOS_KEY }) })
 */
export function encryptedSerializer(options: EncryptedSerializerOptions): DBOSSerializer {
  const { key, formerKeys = [] } = requireOptions(
    'encryptedSerializer()',
    options,
    ENCRYPTED_SERIALIZER_OPTIONS,
  )
  const current = toKey(key)
  const known = new Map([current, ...formerKeys.map(toKey)].map((one) => [one.id, one]))
  return {
    name: () => NAME,
    stringify: (value) => encrypt(superjson.stringify(value), current),
    parse: (text) => {
      if (text === null || text === undefined) return null
      const [id = '', body = ''] = text.split('.')
      const found = known.get(id)
      if (found) return superjson.parse(decrypt(body, found))
      throw new MillraceError(
        'CONFIG_INVALID',
        'A value in the DBOS database was encrypted with another key. Pass that key to encryptedSerializer() as one of formerKeys, in every process.',
      )
    },
  }
}

/** DBOS stores this name with every value, to find its serializer. */
const NAME = 'millrace_aes256gcm'
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

interface Key {
  /** Identifies the key without revealing it. */
  id: string
  bytes: Uint8Array
}

function toKey(given: string | Uint8Array): Key {
  const bytes = typeof given === 'string' ? Buffer.from(given, 'base64') : given
  if (!(bytes instanceof Uint8Array) || bytes.length !== 32) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `A key of encryptedSerializer() has ${bytes instanceof Uint8Array ? `${bytes.length} bytes` : `the type ${typeof given}`}. Use 32 bytes, or their base64: openssl rand -base64 32.`,
    )
  }
  const id = createHash('sha256').update('key id').update(bytes).digest('hex').slice(0, 8)
  return { id, bytes: Uint8Array.from(bytes) }
}

function encrypt(text: string, { id, bytes }: Key): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, bytes, nonce, { authTagLength: TAG_BYTES })
  const body = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return `${id}.${Buffer.concat(body).toString('base64')}`
}

function decrypt(text: string, { bytes }: Key): string {
  const body = Buffer.from(text, 'base64')
  const nonce = body.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, bytes, nonce, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(body.subarray(-TAG_BYTES))
  return decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}
