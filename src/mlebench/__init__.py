"""mlebench: can an AI agent do a machine-learning engineer's whole job?"""

__version__ = "1.0.0"
