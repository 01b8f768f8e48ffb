"""Is a judge fit to be asked?"""
