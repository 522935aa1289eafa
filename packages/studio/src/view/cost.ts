import { MillraceError, type OptionNames } from '@millrace/core'
import type { Cost, Tokens } from '../wire.ts'

/** The price of a model for a million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  /** Cached input tokens. Default: `input`. */
  readonly cacheRead?: number
  /** Input tokens that are written to the provider's cache. Default: `input`. */
  readonly cacheWrite?: number
}

const PRICE: OptionNames<Price> = {
  input: 'required',
  output: 'required',
  cacheRead: 'optional',
  cacheWrite: 'optional',
}

/** Prices by model id, with or without the provider: `openai/gpt-5-mini`. */
export interface PriceList {
  /** Default: USD. */
  readonly currency?: string
  readonly models: Readonly<Record<string, Price>>
}

export const PRICE_LIST: OptionNames<PriceList> = {
  currency: 'optional',
  models: ['required', { '*': PRICE }],
}

/** @throws MillraceError `CONFIG_INVALID` */
export function checkPrices({ models }: PriceList): void {
  for (const [model, price] of Object.entries(models)) {
    for (const [name, amount] of Object.entries(price)) {
      if (typeof amount === 'number' && Number.isFinite(amount) && amount >= 0) continue
      throw new MillraceError(
        'CONFIG_INVALID',
        `The price '${name}' of '${model}' is ${String(amount)}. Use a number from 0, the price of a million tokens.`,
      )
    }
  }
}

/** The cost of tokens by `provider/modelId`. `undefined` if no price is known. */
export function costOf(
  usageByModel: Readonly<Record<string, Tokens>>,
  prices: PriceList | undefined,
): Cost | undefined {
  if (!prices) return undefined
  let amount = 0
  let priced = 0
  let unpriced = 0
  for (const [model, tokens] of Object.entries(usageByModel)) {
    const price = priceOf(model, prices)
    if (price) {
      amount += amountOf(tokens, price)
      priced++
    } else unpriced++
  }
  if (priced === 0) return undefined
  return { amount, currency: prices.currency ?? 'USD', ...(unpriced > 0 && { partial: true }) }
}

function priceOf(model: string, { models }: PriceList): Price | undefined {
  const slash = model.indexOf('/')
  const [provider, modelId] = [model.slice(0, slash), model.slice(slash + 1)]
  const names = [model, `${provider.split('.', 1)[0]}/${modelId}`, modelId]
  return names.map((name) => (Object.hasOwn(models, name) ? models[name] : undefined)).find((price) => price)
}

function amountOf(
  { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: Tokens,
  { input, output, cacheRead = input, cacheWrite = input }: Price,
): number {
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens)
  const sum =
    plain * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite + outputTokens * output
  return sum / 1_000_000
}
