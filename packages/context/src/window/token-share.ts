import { MillraceError, requireCount } from '@millrace/core'

/** A number of tokens, or a fraction of the prompt that fits into the context window: above 0, at most 1. */
export type TokenShare = { readonly tokens: number } | { readonly fraction: number }

/** @throws MillraceError `CONFIG_INVALID`, which names the option and its value */
export function requireShare(option: string, share: TokenShare): TokenShare {
  if (typeof share === 'object' && share !== null) {
    if ('tokens' in share) {
      requireCount(`${option}.tokens`, share.tokens, 1)
      return share
    }
    if (share.fraction > 0 && share.fraction <= 1) return share
  }
  throw new MillraceError(
    'CONFIG_INVALID',
    `${option} is ${JSON.stringify(share)}. Use { tokens: 4000 } or { fraction: 0.5 }.`,
  )
}

/** In tokens. `undefined` for a fraction if the context window is unknown. */
export function tokensOfShare(share: TokenShare, promptLimit: number | undefined): number | undefined {
  if ('tokens' in share) return share.tokens
  return promptLimit === undefined ? undefined : Math.floor(share.fraction * promptLimit)
}
