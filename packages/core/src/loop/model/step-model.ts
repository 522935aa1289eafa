import type { LanguageModelV4 } from '@ai-sdk/provider'
import { type LanguageModel, resolveModel } from '../../model/language-model.ts'
import type { Run } from '../../run/run.ts'

/** The model of the step before is the model of this one, unless another is asked for. */
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
