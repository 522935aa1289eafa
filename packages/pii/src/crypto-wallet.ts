import type { PatternRecognizer } from '@millrace/guards/scanner'

/**
 * Wallet addresses, each with its own checksum: Base58Check (Bitcoin, Litecoin, Dogecoin, Tron), Bech32 and Bech32m
 * (BIP 173, BIP 350; Cardano CIP 19), EIP-55 (Ethereum). The call loads the libraries that compute them.
 */
export async function cryptoWallet(): Promise<PatternRecognizer[]> {
  const [{ bech32, bech32m, createBase58check }, { sha256 }, { keccak_256: keccak256 }] = await Promise.all([
    import('@scure/base'),
    import('@noble/hashes/sha2.js'),
    import('@noble/hashes/sha3.js'),
  ])
  const base58check = createBase58check(sha256)

  function isBase58(text: string): boolean {
    const bytes = decoded(() => base58check.decode(text))
    return bytes?.length === 21 && BASE58_VERSIONS.has(bytes[0] ?? -1)
  }

  function isBech32(text: string): boolean {
    const lower = text.toLowerCase()
    if (text !== lower && text !== text.toUpperCase()) return false
    return [bech32, bech32m].some(({ decode }) => decoded(() => decode(lower as `${string}1${string}`, 120)))
  }

  /** In lower case only or upper case only, an address has no checksum. */
  function scoreEthereum(text: string): number {
    const hex = text.slice(2)
    if (/^(?:0+|f+)$/i.test(hex)) return 0
    if (hex === hex.toLowerCase() || hex === hex.toUpperCase()) return 0.75
    const hash = keccak256(new TextEncoder().encode(hex.toLowerCase()))
    const right = [...hex].every((character, index) => {
      const nibble = ((hash[index >> 1] ?? 0) >> (index % 2 === 0 ? 4 : 0)) & 15
      return /\d/.test(character) || nibble > 7 === /[A-F]/.test(character)
    })
    return right ? 0.95 : 0
  }

  return [
    {
      type: 'crypto_wallet',
      id: 'base58check',
      pattern: /\b[13LMDAT9][1-9A-HJ-NP-Za-km-z]{25,34}\b/,
      score: (candidate) => (isBase58(candidate) ? 0.95 : 0),
    },
    {
      type: 'crypto_wallet',
      id: 'bech32',
      pattern: /\b(?:bc|tb|ltc|addr)1[02-9ac-hj-np-z]{11,110}\b/i,
      score: (candidate) => (isBech32(candidate) ? 0.95 : 0),
    },
    {
      type: 'crypto_wallet',
      id: 'ethereum',
      pattern: /\b0x[0-9A-Fa-f]{40}\b/,
      score: scoreEthereum,
    },
  ]
}

/** Version bytes of Bitcoin, Litecoin, Dogecoin and Tron, for public keys and for scripts. */
const BASE58_VERSIONS: ReadonlySet<number> = new Set([0x00, 0x05, 0x16, 0x1e, 0x30, 0x32, 0x41])

function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}
