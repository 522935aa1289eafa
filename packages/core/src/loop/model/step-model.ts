import type { LanguageModelV4 } from '@ai-sdk/provider'
import { type LanguageModel, resolveModel } from '../../model/language-model.ts'
import type { Run } from '../../run/run.ts'

/** Resolves the model of a step. The model of the previous step is reused if it is the same. */
export function modelOf(run: Run, model: LanguageModel): LanguageModelV4 | Promise<LanguageModelV4> {
  if (typeof model === 'object' && model?.specificationVersion === 'v4') return model
  const { resolvedModel } = run
  return resolvedModel && resolvedModel.from === model ? resolvedModel.model : resolveAnew(run, model)
}

async function resolveAnew(run: Run, from: LanguageModel): Promise<LanguageModelV4> {
  const model = await resolveModel(from)
  run.resolvedModel = { from, model }
  return model
}
