import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider'
import { MillraceError } from '../errors.ts'

/** An AI SDK model, or a model id such as `openai/gpt-4o`. */
export type LanguageModel = string | LanguageModelV4 | LanguageModelV3 | LanguageModelV2

/**
 * Resolves a model to a `LanguageModelV4`. A V4 model is returned unchanged and synchronously. Ids are resolved by
 * `globalThis.AI_SDK_DEFAULT_PROVIDER` or by the gateway of the `ai` package, which also upgrades V2 and V3 models;
 * `ai` is loaded on first use.
 *
 * @throws MillraceError `MODEL_UNRESOLVED`
 */
export function resolveModel(model: LanguageModel): LanguageModelV4 | Promise<LanguageModelV4> {
  if (typeof model === 'string') return resolveId(model)
  switch (model?.specificationVersion) {
    case 'v4':
      return model
    case 'v3':
    case 'v2':
      return upgrade(model)
    default:
      throw new MillraceError(
        'MODEL_UNRESOLVED',
        `The model is ${describe(model)}. Pass a model of the AI SDK (specification v2, v3 or v4) or a model id.`,
      )
  }
}

/** The name of a model in error messages. */
export function nameOf({ provider, modelId }: LanguageModelV4): string {
  return `the model '${modelId}' (${provider})`
}

async function resolveId(id: string): Promise<LanguageModelV4> {
  const { AI_SDK_DEFAULT_PROVIDER: configured } = globalThis as { AI_SDK_DEFAULT_PROVIDER?: ModelProvider }
  const provider: ModelProvider = configured ?? (await loadAiSdk(`the model id '${id}'`)).gateway
  let model: LanguageModel
  try {
    model = provider.languageModel(id)
  } catch (cause) {
    throw new MillraceError(
      'MODEL_UNRESOLVED',
      `The model id '${id}' is unknown to the ${configured ? 'default provider' : 'gateway'}. Check the id, or pass a model object.`,
      { cause },
    )
  }
  return resolveModel(model)
}

async function upgrade(model: LanguageModelV3 | LanguageModelV2): Promise<LanguageModelV4> {
  const { wrapLanguageModel } = await loadAiSdk(`the ${model.specificationVersion} model '${model.modelId}'`)
  return wrapLanguageModel({ model: model as never, middleware: [] })
}

interface ModelProvider {
  languageModel(id: string): LanguageModel
}

async function loadAiSdk(forWhat: string): Promise<typeof import('ai')> {
  try {
    return await import('ai')
  } catch (cause) {
    throw new MillraceError(
      'MODEL_UNRESOLVED',
      `The package 'ai' could not be loaded, and ${forWhat} needs it. Install 'ai', or pass a v4 model object.`,
      { cause },
    )
  }
}

function describe(model: unknown): string {
  if (typeof model !== 'object' || model === null) return `of type ${model === null ? 'null' : typeof model}`
  const { specificationVersion: version } = model as { specificationVersion?: unknown }
  return version === undefined
    ? 'an object without specificationVersion'
    : `of specification '${String(version)}'`
}
