// For programs that run here: the sources of the adapters are outside of this folder, where no framework is installed.
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier,
      /^(@mastra\/core|@langchain\/core)\//.test(specifier)
        ? { ...context, parentURL: import.meta.url }
        : context,
    ),
})
