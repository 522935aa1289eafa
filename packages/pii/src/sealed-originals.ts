import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import { managedNonce } from '@noble/ciphers/utils.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { base64urlnopad } from '@scure/base'

/** Encrypts originals, so that they can be stored in the state of a run. */
export interface OriginalsCipher {
  seal(placeholder: string, original: string): string
  /** The original; `undefined` if it was encrypted with another key or for another placeholder, or was changed. */
  open(placeholder: string, sealed: string): string | undefined
}

/**
 * XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), with a random nonce for each value and the placeholder as associated
 * data. The key is derived from the detector's key by HKDF-SHA-256 (RFC 5869).
 */
export function originalsCipher(key: string | Uint8Array): OriginalsCipher {
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()
  const bytes = typeof key === 'string' ? encoder.encode(key) : key
  const derived = hkdf(sha256, bytes, undefined, encoder.encode('millrace originals of placeholders'), 32)
  const cipherFor = (placeholder: string) =>
    managedNonce(xchacha20poly1305)(derived, encoder.encode(placeholder))
  return {
    seal(placeholder, original) {
      return base64urlnopad.encode(cipherFor(placeholder).encrypt(encoder.encode(original)))
    },
    open(placeholder, sealed) {
      try {
        return decoder.decode(cipherFor(placeholder).decrypt(base64urlnopad.decode(sealed)))
      } catch {
        return undefined
      }
    },
  }
}
