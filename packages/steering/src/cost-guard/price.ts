import { type LanguageModel, MillraceError, type OptionNames, type Usage } from '@millrace/core'

/** The price of a model for a million tokens, in your currency, as providers publish it. */
export interface Price {
  /** Input tokens. */
  readonly input: number
  /** Output tokens. */
  readonly output: number
  /** Input read from the provider's cache. Default: `input`. */
  readonly cacheRead?: number
  /** Input written to the provider's cache. Default: `input`. */
  readonly cacheWrite?: number
}

export const PRICE: OptionNames<Price> = {
  input: 'required',
  output: 'required',
  cacheRead: 'optional',
  cacheWrite: 'optional',
}

/** Prices by model id, with or without the provider's name (`openai/gpt-5-mini`), or a function. */
export type Prices =
  | Readonly<Record<string, Price>>
  | ((model: { readonly provider: string; readonly modelId: string }) => Price | undefined)

/** The price of a token, in billionths of the currency: integers, so that sums are exact. */
export interface TokenPrice {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** Billionths in one unit of the currency. */
export const NANO = 1_000_000_000
const PER_MILLION = NANO / 1_000_000

/**
 * The price of a model's tokens.
 *
 * @throws MillraceError `CONFIG_INVALID` if there is none: its use could not be limited
 */
export function tokenPriceOf(model: LanguageModel, prices: Prices): TokenPrice {
  const { provider, modelId } = identityOf(model)
  const price =
    typeof prices === 'function'
      ? prices({ provider, modelId })
      : [`${provider}/${modelId}`, `${provider.split('.', 1)[0]}/${modelId}`, modelId]
          .map((name) => (Object.hasOwn(prices, name) ? prices[name] : undefined))
          .find((found) => found !== undefined)
  if (!price) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `There is no price for the model '${modelId}' of '${provider}'. Add it to the prices of the CostGuard.`,
    )
  }
  return inNano(modelId, price)
}

function inNano(
  modelId: string,
  { input, output, cacheRead = input, cacheWrite = input }: Price,
): TokenPrice {
  const nano = (name: string, perMillion: number): number => {
    if (Number.isFinite(perMillion) && perMillion >= 0) return Math.ceil(perMillion * PER_MILLION - 1e-6)
    throw new MillraceError(
      'CONFIG_INVALID',
      `The price '${name}' of '${modelId}' is ${perMillion}. Use a number of at least 0.`,
    )
  }
  return {
    input: nano('input', input),
    output: nano('output', output),
    cacheRead: nano('cacheRead', cacheRead),
    cacheWrite: nano('cacheWrite', cacheWrite),
  }
}

export function identityOf(model: LanguageModel): { provider: string; modelId: string } {
  if (typeof model !== 'string') return { provider: model.provider, modelId: model.modelId }
  const slash = model.indexOf('/')
  return slash === -1
    ? { provider: '', modelId: model }
    : { provider: model.slice(0, slash), modelId: model.slice(slash + 1) }
}

/** The maximum cost of a call, in billionths. */
export function maximumCost(price: TokenPrice, tokens: { input: number; output: number }): number {
  return tokens.input * maximumInputPrice(price) + tokens.output * price.output
}

/** How many output tokens an amount pays for, after the input. */
export function affordableOutput(
  price: TokenPrice,
  { input, left }: { input: number; left: number },
): number {
  const rest = left - input * maximumInputPrice(price)
  return price.output === 0 ? (rest >= 0 ? Number.MAX_SAFE_INTEGER : 0) : Math.floor(rest / price.output)
}

/** The cost of a call, in billionths. */
export function costOf(
  price: TokenPrice,
  {
    input,
    output,
    details,
  }: { input: number; output: number; details: Usage['inputTokenDetails'] | undefined },
): number {
  const cacheRead = Math.min(details?.cacheReadTokens ?? 0, input)
  const cacheWrite = Math.min(details?.cacheWriteTokens ?? 0, input - cacheRead)
  const fresh = input - cacheRead - cacheWrite
  return (
    fresh * price.input + cacheRead * price.cacheRead + cacheWrite * price.cacheWrite + output * price.output
  )
}

function maximumInputPrice({ input, cacheRead, cacheWrite }: TokenPrice): number {
  return Math.max(input, cacheRead, cacheWrite)
}
