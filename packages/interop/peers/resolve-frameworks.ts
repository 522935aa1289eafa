// For programs that run here: the sources of the adapters are outside of this folder, where no framework is installed.
import { registerHooks } from 'node:module'
import { FRAMEWORKS } from './frameworks.ts'

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, FRAMEWORKS.test(specifier) ? { ...context, parentURL: import.meta.url } : context),
})
